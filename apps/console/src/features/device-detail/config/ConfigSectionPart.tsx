import { Button } from 'antd'
import type { ReactNode } from 'react'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import { config_group_permission, ltscopes } from '@mdm/contract'
import type { ConfigSection, Out } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Dash, DateTime } from '../../../ui/value/values.tsx'
import { useMay } from '../../../core/session.tsx'
import { CollectionForm, UrlListsForm } from './ConfigForms.tsx'
import { placeOf } from './config-place.ts'

type Current = Out<typeof api.terminalConfig.current_config>
type Effective = NonNullable<Current['collection']> | NonNullable<Current['url_lists']>
type Level = Effective['levels'][number]

/** Tells levels apart, also in the address. */
const keyOf = ({ ltscope, kid }: Level): string => `${ltscope}.${kid ?? ''}`

/** A level as people call it. */
function useLevelName(): (level: Pick<Level, 'ltscope' | 'name'>) => string {
  const { t } = useTranslation('device-config')
  return ({ ltscope, name }) => {
    if (ltscope === ltscopes.group) return name === null ? t('level.group_above') : t('level.group', { name })
    if (ltscope === ltscopes.platform) return t('level.platform')
    return t(ltscope === ltscopes.account ? 'level.account' : 'level.device')
  }
}

/** One section: its values, the level they come from, and what is set at each level. */
export function ConfigSectionPart({
  section,
  of,
  children,
}: {
  section: ConfigSection
  of: Effective
  children: ReactNode
}) {
  const { t } = useTranslation(['device-config', 'common'])
  const nameOf = useLevelName()
  const may_edit = useMay('deviceDetailConfig:edit')
  const may_groups = useMay(config_group_permission)
  // What lies above the groups somebody is limited to is shown, not theirs to change.
  const mayChange = (level: Level) =>
    may_edit &&
    level.ltscope !== ltscopes.platform &&
    (level.ltscope === ltscopes.terminal || (may_groups && (level.ltscope !== ltscopes.group || level.name !== null)))
  const own = of.levels.find(({ ltscope }) => ltscope === ltscopes.terminal)
  const [edit, reset] = [`edit_${section}`, `reset_${section}`] as const
  const dialog = useDialog<string, { kid: string; level: Level }>(
    { [edit]: 'deviceDetailConfig:edit', [reset]: 'deviceDetailConfig:edit' },
    of.levels.filter(mayChange).map((level) => ({ kid: keyOf(level), level })),
  )
  const open = (kind: typeof edit | typeof reset, level: Level) => dialog.open(kind, { kid: keyOf(level) })
  const [editing, resetting] = [dialog.of(edit)?.level, dialog.of(reset)?.level]
  const sourced = (level: Level) => level.ltscope === of.source.ltscope && level.kid === of.source.kid
  const title = t(`section.${section}`)
  return (
    <section className="config-section" aria-label={title}>
      <div className="device-part-head">
        <h2>{title}</h2>
        <span className="dim">{t(section === 'collection' ? 'collection.hint' : 'urls.hint')}</span>
        {own && mayChange(own) && (
          <Button onClick={() => open(edit, own)} aria-label={`${t('edit')}: ${title}`}>
            {t('edit')}
          </Button>
        )}
      </div>
      <p className="config-source">
        <span className="dim">{t('source')}</span> <StateBadge tone="accent">{nameOf(of.source)}</StateBadge>
      </p>
      {children}
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
              if (level.ltscope === ltscopes.platform) return <span className="dim">{t('default')}</span>
              return level.own ? t('set') : <span className="dim">{t('not_set')}</span>
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
      {resetting?.own && (
        <ResetDialog section={section} level={resetting} name={nameOf(resetting)} onClose={dialog.close} />
      )}
      {editing && <Edit of={of} level={editing} name={nameOf(editing)} onClose={dialog.close} />}
    </section>
  )
}

type EditProps = { of: Effective; level: Level; name: string; onClose: () => void }
/** Begins with what is set there, else with what holds for the device. */
function Edit({ of, level, name, onClose }: EditProps) {
  const initial = level.own?.value ?? of.value
  const place = placeOf(level)
  return 'whitelist' in initial ? (
    <UrlListsForm place={place} name={name} initial={initial} onClose={onClose} />
  ) : (
    <CollectionForm place={place} name={name} initial={initial} onClose={onClose} />
  )
}

type ResetProps = { section: ConfigSection; level: Level; name: string; onClose: () => void }
function ResetDialog({ section, level, name, onClose }: ResetProps) {
  const { t } = useTranslation('device-config')
  return (
    <ConfirmWrite
      call={api.terminalConfig.reset}
      input={{ ...placeOf(level), sections: [section] }}
      done={t('reset_done')}
      also={['terminal']}
      title={t('reset_title')}
      submit={t('reset')}
      onClose={onClose}
    >
      <p>{t('reset_text', { section: t(`section.${section}`), level: name })}</p>
      {level.ltscope !== ltscopes.terminal && <p>{t('many')}</p>}
    </ConfirmWrite>
  )
}
