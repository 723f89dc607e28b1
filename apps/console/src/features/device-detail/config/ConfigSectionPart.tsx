import { Button, Table } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { config_group_permission, ltscopes } from '@mdm/contract'
import type { ConfigSection, Out } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { ConfirmDanger } from '../../../ui/dialog/ConfirmDanger.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Dash, DateTime } from '../../../ui/value/values.tsx'
import { useMay } from '../../../core/session.tsx'
import { CollectionForm, UrlListsForm } from './ConfigForms.tsx'
import { placeOf } from './config-place.ts'

type Current = Out<typeof api.terminalConfig.current_config>
type Effective = NonNullable<Current['collection']> | NonNullable<Current['url_lists']>
type Level = Effective['levels'][number]
type Wanted = { what: 'edit' | 'reset'; level: Level }

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
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const close = () => setWanted(null)
  const own = of.levels.find(({ ltscope }) => ltscope === ltscopes.terminal)
  // What lies above the groups somebody is limited to is shown, not theirs to change.
  const mayChange = (level: Level) =>
    may_edit &&
    level.ltscope !== ltscopes.platform &&
    (level.ltscope === ltscopes.terminal || (may_groups && (level.ltscope !== ltscopes.group || level.name !== null)))
  const sourced = (level: Level) => level.ltscope === of.source.ltscope && level.kid === of.source.kid
  const title = t(`section.${section}`)
  return (
    <section className="config-section" aria-label={title}>
      <div className="device-part-head">
        <h2>{title}</h2>
        <span className="dim">{t(section === 'collection' ? 'collection.hint' : 'urls.hint')}</span>
        {own && mayChange(own) && (
          <Button onClick={() => setWanted({ what: 'edit', level: own })} aria-label={`${t('edit')}: ${title}`}>
            {t('edit')}
          </Button>
        )}
      </div>
      <p className="config-source">
        <span className="dim">{t('source')}</span> <StateBadge tone="accent">{nameOf(of.source)}</StateBadge>
      </p>
      {children}
      <Table<Level>
        className="list-table config-levels"
        aria-label={`${title}: ${t('where')}`}
        size="small"
        pagination={false}
        scroll={{ x: 'max-content' }}
        rowKey={(level) => `${level.ltscope} ${level.kid ?? ''}`}
        dataSource={of.levels}
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
          {
            key: 'actions',
            title: t('common:actions'),
            align: 'right',
            className: 'column-actions',
            render: (_, level) =>
              mayChange(level) && (
                <>
                  <Button
                    type="link"
                    size="small"
                    aria-label={t('edit_level', { level: nameOf(level) })}
                    onClick={() => setWanted({ what: 'edit', level })}
                  >
                    {t('edit')}
                  </Button>
                  {level.own && (
                    <Button
                      type="link"
                      size="small"
                      aria-label={t('reset_level', { level: nameOf(level) })}
                      onClick={() => setWanted({ what: 'reset', level })}
                    >
                      {t('reset')}
                    </Button>
                  )}
                </>
              ),
          },
        ]}
      />
      {wanted?.what === 'reset' && (
        <ResetDialog section={section} level={wanted.level} name={nameOf(wanted.level)} onClose={close} />
      )}
      {wanted?.what === 'edit' && <Edit of={of} level={wanted.level} name={nameOf(wanted.level)} onClose={close} />}
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
  const reset = useWrite(api.terminalConfig.reset, { done: t('reset_done'), also: ['terminal'] })
  return (
    <ConfirmDanger
      title={t('reset_title')}
      submit={t('reset')}
      loading={reset.isPending}
      submitError={reset.error}
      onConfirm={async () => {
        await reset.mutateAsync({ ...placeOf(level), sections: [section] })
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('reset_text', { section: t(`section.${section}`), level: name })}</p>
      {level.ltscope !== ltscopes.terminal && <p>{t('many')}</p>}
    </ConfirmDanger>
  )
}
