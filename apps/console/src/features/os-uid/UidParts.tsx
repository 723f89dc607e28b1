import { useTranslation } from 'react-i18next'
import { capitalised, informationList, uidParts } from '@mdm/contract'
import type { UidPart } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import './os-uid.css'

/** What a part is called: a screen, a language, the reserve code. */
export function usePartTitle(): (part: UidPart) => string {
  const { t } = useTranslation('os-uid')
  const textOf = useTextOf()
  return (part) => (part === 'reserve_code' ? t('reserve_code') : textOf(capitalised(informationList(part).one)))
}

type Props = {
  parts: Partial<Record<UidPart, { code: string; name: string | null }>>
  /** Of a code that no list has: it stands there, and nobody knows what it means. */
  unknown: string
}
/** A UID part by part: its code, what it is, what it means. What is not chosen yet has the room that it will take. */
export function UidParts({ parts, unknown }: Props) {
  const { t } = useTranslation('os-uid')
  const titleOf = usePartTitle()
  return (
    <ol className="uid-parts" aria-label={t('parts')}>
      {uidParts.map(({ part, length }) => {
        const found = parts[part]
        const is_known = part === 'reserve_code' || found === undefined || found.name !== null
        return (
          <li key={part} data-state={found ? (is_known ? 'known' : 'unknown') : 'open'}>
            <code aria-label={found ? found.code : t('not_chosen')}>{found?.code ?? '·'.repeat(length)}</code>
            <span className="uid-part-title">{titleOf(part)}</span>
            <span className="uid-part-name" dir="auto">
              {found && (found.name ?? (is_known ? '' : unknown))}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

export const partsOf = (parts: readonly { part: UidPart; code: string; name: string | null }[]): Props['parts'] =>
  Object.fromEntries(parts.map(({ part, code, name }) => [part, { code, name }]))
