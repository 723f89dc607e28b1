import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { config_group_permission, ltscopes } from '@mdm/contract'
import { isEqual } from '@mdm/contract/config/equal.ts'
import { configCapabilities, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection, EffectiveSection, Permission } from '@mdm/contract'
import type { Collection, ConfigValues, UrlLists } from '@mdm/contract/config/sections.ts'
import type * as z from 'zod'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { listText } from '../../../i18n/list-text.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Dash, DateTime } from '../../../ui/value/values.tsx'
import { placeOf } from '../config-place.ts'
import { ManagedAppsForm } from './apps/ManagedAppsForm.tsx'
import { CollectionForm, UrlListsForm } from './ConfigForms.tsx'
import { refusalOf } from './drafts.ts'
import type { Drafting } from './drafts.ts'
import { outcomeTones } from './outcome-tones.ts'
import { SectionForm } from './SectionForm.tsx'
import type { SectionFormProps } from './SectionForm.tsx'
import { SectionSummary } from './SectionSummary.tsx'
import '../../../shared/device/device.css'
import '../config.css'

export type Effective = z.output<typeof EffectiveSection>
type Level = Effective['levels'][number]

/** Tells levels apart. */
const keyOf = ({ ltscope, kid }: Level): string => `${ltscope}.${kid ?? ''}`

/** A level as people call it. */
export function useLevelName(): (level: Pick<Level, 'ltscope' | 'name'>) => string {
  const { t } = useTranslation('configure')
  return ({ ltscope, name }) => {
    if (ltscope === ltscopes.group) return name === null ? t('level.group_above') : t('level.group', { name })
    if (ltscope === ltscopes.profile) return t('level.profile', { name: name ?? '' })
    if (ltscope === ltscopes.platform) return t('level.platform')
    return t(ltscope === ltscopes.account ? 'level.account' : 'level.device')
  }
}

/** The page of a level's configuration; undefined of what the user cannot open. */
function addressOf({ ltscope, kid, name }: Level): string | undefined {
  if (ltscope === ltscopes.terminal) return link.deviceDetailConfig.to({ kid: kid! })
  if (ltscope === ltscopes.account) return link.configureLevel.to({ kid: 'account' })
  if (ltscope === ltscopes.profile) return link.configureLevel.to({ kid: kid!, level: 'profile' })
  return ltscope === ltscopes.group && name !== null ? link.configureLevel.to({ kid: kid! }) : undefined
}

/** Whether the user may change a level: not what lies above the groups that a user is limited to. */
function useMayChange(edit: Permission): (level: Pick<Level, 'ltscope' | 'name'>) => boolean {
  const may_edit = useMay(edit)
  const may_groups = useMay(config_group_permission)
  return ({ ltscope, name }) =>
    may_edit &&
    (ltscope === ltscopes.platform ||
      ltscope === ltscopes.terminal ||
      (may_groups && (ltscope !== ltscopes.group || name !== null)))
}

type Props = { section: ConfigSection; of: Effective; edit: Permission; drafting: Drafting }
/** One section: its values, the level they come from, how the device stands to it, and what is set at each level. */
export function ConfigSectionPart({ section, of, edit: edit_permission, drafting }: Props) {
  const { t } = useTranslation(['configure', 'configure/edit', 'common'])
  const textOf = useTextOf()
  const nameOf = useLevelName()
  const own = of.levels.at(-1)!
  const is_of_platform = own.ltscope === ltscopes.platform
  const may_change = useMayChange(edit_permission)(own)
  const edit = `edit_${section}`
  const dialog = useDialog<string, { kid: string }>({ [edit]: edit_permission }, [])
  const title = textOf(sectionOf(section).title)
  const { draft } = drafting
  const is_changed = section in draft
  const is_reset = is_changed && draft[section] === null
  const value = is_reset ? inherited(section, of) : is_changed ? draft[section] : of.value
  const refusal = refusalOf(drafting.error, section)
  return (
    <section className="config-section" id={`section-${section}`} aria-label={title} tabIndex={-1}>
      <div className="device-part-head">
        <h2>{title}</h2>
        <span className="dim">{textOf(sectionOf(section).hint)}</span>
        {may_change && (
          <span className="config-section-acts">
            {is_changed && (
              <Button aria-label={`${t('configure/edit:draft.undo')}: ${title}`} onClick={() => drafting.undo(section)}>
                {t('configure/edit:draft.undo')}
              </Button>
            )}
            {!is_changed && own.own && (
              <Button aria-label={`${t('reset')}: ${title}`} onClick={() => drafting.keep(section, null)}>
                {t('reset')}
              </Button>
            )}
            <Button onClick={() => dialog.open(edit)} aria-label={`${t('edit')}: ${title}`}>
              {t('edit')}
            </Button>
          </span>
        )}
      </div>
      {is_changed && (
        <p className="config-source">
          <StateBadge tone={refusal ? 'bad' : 'warn'}>
            {t(
              refusal
                ? 'configure/edit:draft.refused'
                : is_reset
                  ? 'configure/edit:draft.reset'
                  : 'configure/edit:draft.changed',
            )}
          </StateBadge>
        </p>
      )}
      {value === null && <p className="dim config-source">{t('configure/edit:not_configured')}</p>}
      {value !== null && (
        <>
          {!is_changed && (
            <p className="config-source">
              <span className="dim">{t('source')}</span> <StateBadge tone="accent">{nameOf(of.source)}</StateBadge>
              <Result section={section} of={of.result} />
            </p>
          )}
          <SectionSummary section={section} value={value} is_of_platform={is_of_platform} />
        </>
      )}
      {of.levels.some((level) => level.own) && <Levels of={of} title={title} />}
      {may_change && dialog.is(edit) && (
        <Edit
          section={section}
          place={placeOf(own)}
          name={nameOf(own)}
          initial={(is_changed && !is_reset ? draft[section] : undefined) ?? own.own?.value ?? of.value}
          refusal={refusal}
          onKeep={(next) => {
            // What is set there already is no change.
            if (own.own && isEqual(own.own.value, next)) drafting.undo(section)
            else drafting.keep(section, next)
          }}
          onClose={dialog.close}
        />
      )}
    </section>
  )
}

/** What would hold at a level if nothing were set there. */
export function inherited(section: ConfigSection, of: Effective): unknown {
  const above = of.levels.slice(0, -1).findLast(({ own }) => own !== null)
  return above?.own?.value ?? sectionOf(section).platform ?? null
}

/** What is set at each level, folded: the way to where it is changed. */
function Levels({ of, title }: { of: Effective; title: string }) {
  const { t } = useTranslation('configure')
  const nameOf = useLevelName()
  const sourced = (level: Level) => level.ltscope === of.source.ltscope && level.kid === of.source.kid
  const set = of.levels.filter(({ own }) => own !== null)
  return (
    <details className="config-levels">
      <summary>{t('levels_set', { levels: listText(set.map(nameOf)) })}</summary>
      <ListTable<Level>
        aria-label={`${title}: ${t('where')}`}
        rowKey={keyOf}
        rows={of.levels}
        columns={[
          {
            key: 'level',
            title: t('column.level'),
            render: (_, level) => {
              const address = level === of.levels.at(-1) ? undefined : addressOf(level)
              return address ? <Link to={address}>{nameOf(level)}</Link> : nameOf(level)
            },
          },
          {
            key: 'set',
            title: t('column.set'),
            render: (_, level) => {
              if (sourced(level)) return <StateBadge tone="good">{t('in_effect')}</StateBadge>
              if (level.own) return t('set')
              if (level.ltscope === ltscopes.platform) return <span className="dim">{t('default')}</span>
              return <span className="dim">{t('not_set')}</span>
            },
          },
          { key: 'by', title: t('column.by'), render: (_, level) => level.own?.updated_by ?? <Dash /> },
          { key: 'at', title: t('column.at'), render: (_, level) => <DateTime at={level.own?.updated_at} /> },
        ]}
      />
    </details>
  )
}

/** How the device stands to the section, and why where it does not obey. */
export function Result({ section, of }: { section: ConfigSection; of: Effective['result'] }) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  if (!of) return null
  const capability = textOf(configCapabilities[sectionOf(section).capability])
  const disabled_reason = of.reason && t(`reason.${of.reason}`, { capability })
  return (
    <>
      <StateBadge tone={outcomeTones[of.outcome]}>{t(`outcome.${of.outcome}`)}</StateBadge>
      {disabled_reason && <span className="dim">{disabled_reason}</span>}
      {of.message && <span className="dim">{of.message}</span>}
    </>
  )
}

function Edit({ section, initial, ...given }: SectionFormProps) {
  if (section === 'collection') return <CollectionForm {...given} initial={initial as Collection} />
  if (section === 'url_lists') return <UrlListsForm {...given} initial={initial as UrlLists} />
  if (section === 'managed_apps')
    return <ManagedAppsForm {...given} initial={initial as ConfigValues['managed_apps']} />
  return <SectionForm {...given} section={section} initial={initial} />
}
