import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { config_group_permission, ltscopes } from '@mdm/contract'
import { configCapabilities, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection, EffectiveSection, Permission } from '@mdm/contract'
import type { Collection, ConfigValues, UrlLists } from '@mdm/contract/config/sections.ts'
import type * as z from 'zod'
import { api } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Dash, DateTime } from '../../../ui/value/values.tsx'
import { placeOf } from '../config-place.ts'
import { useSaid } from '../use-said.ts'
import { ManagedAppsForm } from './apps/ManagedAppsForm.tsx'
import { CollectionForm, UrlListsForm } from './ConfigForms.tsx'
import { outcomeTones } from './outcome-tones.ts'
import { SectionForm } from './SectionForm.tsx'
import { SectionSummary } from './SectionSummary.tsx'
import '../../../shared/device/device.css'
import '../config.css'
import { WouldChange } from './WouldChange.tsx'

export type Effective = z.output<typeof EffectiveSection>
type Level = Effective['levels'][number]

/** Tells levels apart, also in the address. */
const keyOf = ({ ltscope, kid }: Level): string => `${ltscope}.${kid ?? ''}`

/** A level as people call it. */
export function useLevelName(): (level: Pick<Level, 'ltscope' | 'name'>) => string {
  const { t } = useTranslation('configure')
  return ({ ltscope, name }) => {
    if (ltscope === ltscopes.group) return name === null ? t('level.group_above') : t('level.group', { name })
    if (ltscope === ltscopes.platform) return t('level.platform')
    return t(ltscope === ltscopes.account ? 'level.account' : 'level.device')
  }
}

type Props = { section: ConfigSection; of: Effective; edit: Permission }
/** One section: its values, the level they come from, how the device stands to it, and what is set at each level. */
export function ConfigSectionPart({ section, of, edit: edit_permission }: Props) {
  const { t } = useTranslation(['configure', 'configure/edit', 'common'])
  const textOf = useTextOf()
  const nameOf = useLevelName()
  const may_edit = useMay(edit_permission)
  const may_groups = useMay(config_group_permission)
  const own = of.levels.at(-1)!
  const is_of_platform = own.ltscope === ltscopes.platform
  // What lies above the groups somebody is limited to is shown, not theirs to change.
  const mayChange = (level: Level) =>
    may_edit &&
    (is_of_platform ||
      (level.ltscope !== ltscopes.platform &&
        (level.ltscope === ltscopes.terminal ||
          (may_groups && (level.ltscope !== ltscopes.group || level.name !== null)))))
  const [edit, reset] = [`edit_${section}`, `reset_${section}`] as const
  const dialog = useDialog<string, { kid: string; level: Level }>(
    { [edit]: edit_permission, [reset]: edit_permission },
    of.levels.filter(mayChange).map((level) => ({ kid: keyOf(level), level })),
  )
  const open = (kind: typeof edit | typeof reset, level: Level) => dialog.open(kind, { kid: keyOf(level) })
  const [editing, resetting] = [dialog.of(edit)?.level, dialog.of(reset)?.level]
  const sourced = (level: Level) => level.ltscope === of.source.ltscope && level.kid === of.source.kid
  const title = textOf(sectionOf(section).title)
  const is_set = of.value !== null
  return (
    <section className="config-section" aria-label={title}>
      <div className="device-part-head">
        <h2>{title}</h2>
        <span className="dim">{textOf(sectionOf(section).hint)}</span>
        {mayChange(own) && (
          <Button onClick={() => open(edit, own)} aria-label={`${t('edit')}: ${title}`}>
            {own.own ? t('edit') : t('configure/edit:customize')}
          </Button>
        )}
      </div>
      {!is_set && <p className="dim config-source">{t('configure/edit:not_configured')}</p>}
      {is_set && (
        <>
          <p className="config-source">
            <span className="dim">{t('source')}</span> <StateBadge tone="accent">{nameOf(of.source)}</StateBadge>
            <Result section={section} of={of.result} />
          </p>
          <SectionSummary section={section} value={of.value} is_of_platform={is_of_platform} />
        </>
      )}
      {(is_set || of.levels.some((level) => level.own)) && (
        <ListTable<Level>
          className="config-levels"
          aria-label={`${title}: ${t('where')}`}
          rowKey={keyOf}
          rows={of.levels}
          columns={[
            { key: 'level', title: t('column.level'), render: (_, level) => nameOf(level) },
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
          nameOf={nameOf}
          rowActions={(level) =>
            mayChange(level)
              ? [
                  {
                    text: t('edit'),
                    label: t('edit_level', { level: nameOf(level) }),
                    onSelect: () => open(edit, level),
                  },
                  ...(level.own
                    ? [
                        {
                          text: t('reset'),
                          label: t('reset_level', { level: nameOf(level) }),
                          onSelect: () => open(reset, level),
                        },
                      ]
                    : []),
                ]
              : []
          }
        />
      )}
      {resetting?.own && (
        <ResetDialog section={section} level={resetting} name={nameOf(resetting)} onClose={dialog.close} />
      )}
      {editing && <Edit section={section} of={of} level={editing} name={nameOf(editing)} onClose={dialog.close} />}
    </section>
  )
}

/** How the device stands to the section, and why where it does not obey. */
export function Result({ section, of }: { section: ConfigSection; of: Effective['result'] }) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  if (!of) return null
  const capability = textOf(configCapabilities[sectionOf(section).capability])
  const because = of.reason && t(`reason.${of.reason}`, { capability })
  return (
    <>
      <StateBadge tone={outcomeTones[of.outcome]}>{t(`outcome.${of.outcome}`)}</StateBadge>
      {because && <span className="dim">{because}</span>}
      {of.message && <span className="dim">{of.message}</span>}
    </>
  )
}

type EditProps = { section: ConfigSection; of: Effective; level: Level; name: string; onClose: () => void }
/** Begins with what is set there, else with what holds for the device. */
function Edit({ section, of, level, name, onClose }: EditProps) {
  const initial = level.own?.value ?? of.value
  const given = { place: placeOf(level), name, onClose }
  if (section === 'collection') return <CollectionForm {...given} initial={initial as Collection} />
  if (section === 'url_lists') return <UrlListsForm {...given} initial={initial as UrlLists} />
  if (section === 'managed_apps')
    return <ManagedAppsForm {...given} initial={initial as ConfigValues['managed_apps']} />
  return <SectionForm {...given} section={section} initial={initial} />
}

type ResetProps = { section: ConfigSection; level: Level; name: string; onClose: () => void }
function ResetDialog({ section, level, name, onClose }: ResetProps) {
  const { t } = useTranslation('configure')
  const textOf = useTextOf()
  const title = textOf(sectionOf(section).title)
  const said = useSaid(t('reset_done'))
  const shown = { title: t('reset_title'), submit: t('reset'), onClose }
  const text = (
    <>
      <p>{t('reset_text', { section: title, level: name })}</p>
      <WouldChange place={placeOf(level)} resets={[section]} />
    </>
  )
  return level.ltscope === ltscopes.platform ? (
    <ConfirmWrite call={api.opsTerminalConfig.reset} input={{ sections: [section] }} done={t('reset_done')} {...shown}>
      {text}
    </ConfirmWrite>
  ) : (
    <ConfirmWrite
      call={api.terminalConfig.reset}
      input={{ ...placeOf(level), sections: [section] }}
      done={said}
      also={['terminal', 'get']}
      {...shown}
    >
      {text}
    </ConfirmWrite>
  )
}
