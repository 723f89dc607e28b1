import { Input, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { configSectionKeys, ltscopes } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection, Permission } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { ConfigSectionPart } from './ConfigSectionPart.tsx'
import type { Effective } from './ConfigSectionPart.tsx'
import '../config.css'

type Props = { current: Partial<Record<ConfigSection, Effective>>; edit: Permission }
type Shown = 'set' | 'all' | 'own'

/** Every section of a level: those that hold something first, the others on demand. */
export function ConfigSections({ current, edit }: Props) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const [shown, setShown] = useState<Shown>('all')
  const [text, setText] = useState('')
  const sections = configSectionKeys.flatMap((section) => {
    const of = current[section]
    if (!of) return []
    // What the console goes by is the account's and the platform's; nothing about a group or a device.
    const own = of.levels.at(-1)!
    if (sectionOf(section).is_for_console && own.ltscope > ltscopes.account) return []
    // Configurations of iStage are those of an account.
    if (section === 'istage' && own.ltscope === ltscopes.platform) return []
    return [{ section, of, own: own.own }]
  })
  const found = sections
    .filter(({ of, own }) => shown === 'all' || (shown === 'own' ? own !== null : of.value !== null))
    .filter(({ section }) => textOf(sectionOf(section).title).toLowerCase().includes(text.trim().toLowerCase()))
    .toSorted((a, b) => Number(b.of.value !== null) - Number(a.of.value !== null))
  return (
    <>
      <div className="config-tools">
        <Input.Search
          allowClear
          className="config-search"
          aria-label={t('search')}
          placeholder={t('search')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Segmented<Shown>
          aria-label={t('shown')}
          value={shown}
          onChange={setShown}
          options={(['all', 'set', 'own'] as const).map((value) => ({ value, label: t(`show.${value}`) }))}
        />
      </div>
      {found.length === 0 && <p className="dim">{t('none')}</p>}
      {found.map(({ section, of }) => (
        <ConfigSectionPart key={section} section={section} of={of} edit={edit} />
      ))}
    </>
  )
}
