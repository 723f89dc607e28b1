import { useTranslation } from 'react-i18next'
import { isSection } from '@mdm/contract'
import { configCapabilities, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigDrift } from '@mdm/contract'
import { sentences } from '../../../i18n/list-text.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { useSectionName } from '../section-name.ts'
import { outcomeTones } from './outcome-tones.ts'

type Props = { of: ConfigDrift['causes'][number]; is_named?: boolean }

/** Why a device does not go by a section, which is named where it is not plain from the page. */
export function DriftCause({ of: { section, outcome, reason, message }, is_named = false }: Props) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const sectionName = useSectionName()
  const capability = isSection(section) ? textOf(configCapabilities[sectionOf(section).capability]) : ''
  // A newer device may say a reason that this console has no words for.
  const words = reason ? t(`reason.${reason}` as 'reason.offline', { capability, defaultValue: reason }) : ''
  return (
    <>
      <StateBadge tone={outcomeTones[outcome]}>{t(`outcome.${outcome}`)}</StateBadge>{' '}
      {is_named && `${sectionName(section)} `}
      <span className="dim">{sentences(words, message)}</span>
    </>
  )
}
