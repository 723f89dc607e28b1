import { Button, Input, Segmented } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import { configAreaKeys, configAreas, sectionsOfArea } from '@mdm/contract/config/areas.ts'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection, Permission } from '@mdm/contract'
import { useSearch, withParams } from '../../../core/address.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { placeOf } from '../config-place.ts'
import { ConfigSectionPart, inherited, useLevelName } from './ConfigSectionPart.tsx'
import type { Effective } from './ConfigSectionPart.tsx'
import { Contents } from './Contents.tsx'
import { useDraft } from './drafts.ts'
import '../config.css'

const ReviewDialog = lazy(() => import('./ReviewDialog.tsx'))

type Props = { current: Partial<Record<ConfigSection, Effective>>; edit: Permission }
const views = ['all', 'set', 'own'] as const

/** Every section of a level by what it is about, edited like settings: changes are collected, looked at and saved as one. */
export function ConfigSections({ current, edit }: Props) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const [search, setSearch] = useSearch()
  const shown = views.find((view) => view === search.get('show')) ?? 'all'
  const [text, setText] = useState('')
  const own_level = Object.values(current)[0]!.levels.at(-1)!
  const drafting = useDraft(placeOf(own_level))
  const { draft } = drafting
  const areas = configAreaKeys.flatMap((area) => {
    const sections = sectionsOfArea(area)
      .flatMap((section) => {
        const of = current[section]
        return of && isAt(section, own_level.ltscope) ? [{ section, of, own: of.levels.at(-1)!.own }] : []
      })
      .filter(({ section, of, own }) => {
        const is_shown = shown === 'all' || (shown === 'own' ? own !== null : of.value !== null)
        return is_shown || section in draft
      })
      .filter(({ section }) => textOf(sectionOf(section).title).toLowerCase().includes(text.trim().toLowerCase()))
    return sections.length > 0 ? [{ area, sections }] : []
  })
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
        <Segmented<(typeof views)[number]>
          aria-label={t('shown')}
          value={shown}
          onChange={(view) =>
            setSearch((before) => withParams(before, { show: view === 'all' ? null : view }), { replace: true })
          }
          options={views.map((value) => ({ value, label: t(`show.${value}`) }))}
        />
      </div>
      <Review current={current} drafting={drafting} />
      {areas.length === 0 && <p className="dim">{t('none')}</p>}
      <div className="config-page">
        <Contents areas={areas} draft={draft} />
        <div className="config-areas">
          {areas.map(({ area, sections }) => (
            <section key={area} aria-label={textOf(configAreas[area])}>
              <p className="config-area">{textOf(configAreas[area])}</p>
              {sections.map(({ section, of }) => (
                <ConfigSectionPart key={section} section={section} of={of} edit={edit} drafting={drafting} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </>
  )
}

/** What the console goes by is the account's and the platform's; configurations of iStage are those of an account. */
const isAt = (section: ConfigSection, ltscope: number): boolean =>
  sectionOf(section).is_for_console
    ? ltscope <= ltscopes.account
    : section !== 'istage' || ltscope !== ltscopes.platform

type ReviewProps = Pick<Props, 'current'> & { drafting: ReturnType<typeof useDraft> }
/** How many changes wait, and the way to look at them and save them. */
function Review({ current, drafting }: ReviewProps) {
  const { t } = useTranslation('configure/edit')
  const nameOf = useLevelName()
  const [is_open, setOpen] = useState(false)
  const { draft, sections, error } = drafting
  if (sections.length === 0) return null
  const changes = sections.flatMap((section) => {
    const of = current[section]
    if (!of) return []
    return [
      { section, before: of.levels.at(-1)!.own?.value ?? of.value, after: draft[section] ?? inherited(section, of) },
    ]
  })
  const level = Object.values(current)[0]!.levels.at(-1)!
  return (
    <div className="config-draft">
      <span role="status">{t('draft.waiting', { count: sections.length })}</span>
      <Button onClick={drafting.discard}>{t('draft.discard')}</Button>
      <Button type="primary" onClick={() => setOpen(true)}>
        {t('draft.review', { count: sections.length })}
      </Button>
      {is_open && (
        <Suspense>
          <ReviewDialog
            place={placeOf(level)}
            name={nameOf(level)}
            draft={draft}
            changes={changes}
            error={error}
            onSaved={() => {
              setOpen(false)
              drafting.discard()
            }}
            onRefused={drafting.refuse}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </div>
  )
}
