import { Select } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { configSectionKeys, isSection } from '@mdm/contract'
import { isEqual } from '@mdm/contract/config/equal.ts'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigChange } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { listText } from '../../../i18n/list-text.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { useCount } from '../../../ui/value/format.ts'
import { ProgressBar } from '../../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { DateTime } from '../../../ui/value/values.tsx'
import { useSectionName } from '../section-name.ts'
import { placeOf } from '../config-place.ts'
import type { ConfigPlace } from '../config-place.ts'
import { useSaid } from '../use-said.ts'
import { useWouldChange, WouldChange } from './WouldChange.tsx'
import { SectionDifferences } from './SectionDifferences.tsx'
import { useTypeName } from './type-name.ts'
import '../config.css'

const Steps = lazy(() => import('./Steps.tsx'))

type Props = {
  fixed?: Partial<ConfigPlace>
  /** Those of the platform. */
  is_platform?: boolean
}

/** Changes of configurations, those of one level or all: what, by whom, how far devices are; each can be gone back to. */
export function Versions({ fixed, is_platform = false }: Props) {
  const { t } = useTranslation(['configure/edit', 'configure', 'common'])
  const is_of_level = fixed !== undefined || is_platform
  // Both lists are of the same rows; that of the platform takes no place.
  const call = (is_platform ? api.opsTerminalConfig.change_paging : api.terminalConfig.change_paging) as Paging
  const list = useListTable(call, {
    id: is_of_level ? 'config-versions' : 'config-changes',
    filters: {},
    ...(fixed && { fixed }),
  })
  const needs = is_platform ? 'platformConfig:edit' : 'deviceDetailConfig:edit'
  const may_revert = useMay(needs)
  const dialog = useDialog({ version: 'signed_in', revert: needs }, list.rows)
  const [looked, reverted] = [dialog.of('version'), dialog.of('revert')]
  const reverted_said = useSaid(t('version.reverted'))
  const nameOf = (row: ConfigChange) => t('version.name', { version: row.version })
  return (
    <>
      <ListPage
        list={list}
        is_part
        title={t('changes')}
        columns={useChangeColumns(is_of_level)}
        nameOf={nameOf}
        rowActions={(row) => [
          {
            text: t('version.look'),
            label: `${t('version.look')}: ${nameOf(row)}`,
            onSelect: () => dialog.open('version', row),
          },
          ...(may_revert && !row.is_newest
            ? [{ label: t('version.revert'), onSelect: () => dialog.open('revert', row) }]
            : []),
        ]}
        empty={{ title: t('version.none') }}
      />
      {looked && <VersionDrawer change={looked} is_platform={is_platform} onClose={dialog.close} />}
      {reverted && (
        <ConfirmWrite
          call={(is_platform ? api.opsTerminalConfig.revert : api.terminalConfig.revert) as Revert}
          input={{ kid: reverted.kid }}
          also={['terminal', 'get']}
          title={t('version.revert_title', { version: reverted.version })}
          submit={t('version.revert')}
          done={reverted_said}
          onClose={dialog.close}
        >
          <p>{t('version.revert_text')}</p>
          <WouldRevert change={reverted} />
        </ConfirmWrite>
      )}
    </>
  )
}

function WouldRevert({ change }: { change: ConfigChange }) {
  return <WouldChange of={useWouldChange(placeOfChange(change), { change_kid: change.kid })} />
}

type Paging = typeof api.terminalConfig.change_paging
type Revert = typeof api.terminalConfig.revert

const placeOfChange = ({ ltscope, terminal_group_kid, profile_kid, terminal_kid }: ConfigChange): ConfigPlace =>
  placeOf({ ltscope, kid: terminal_kid ?? profile_kid ?? terminal_group_kid })

function useChangeColumns(is_of_level: boolean): Column<ConfigChange>[] {
  const { t } = useTranslation(['configure/edit', 'common'])
  const typeName = useTypeName()
  const sectionName = useSectionName()
  return [
    ...(is_of_level
      ? []
      : [
          {
            key: 'place_name',
            title: t('column.place'),
            is_fixed: true,
            render: (_: unknown, row: ConfigChange) => row.place_name ?? t('level.account'),
          },
        ]),
    { key: 'type', title: t('column.type'), render: (_, row) => typeName(row.type) },
    { key: 'version', title: t('column.version'), align: 'right', dataIndex: 'version' },
    { key: 'act', title: t('column.act'), render: (_, row) => t(`act.${row.act}`) },
    { key: 'sections', title: t('column.sections'), render: (_, row) => listText(row.sections.map(sectionName)) },
    {
      key: 'progress',
      title: t('column.progress'),
      export: false,
      render: (_, row) => (
        <>
          {row.is_in_steps && <StateBadge tone="accent">{t('steps.badge')}</StateBadge>} <Progress of={row.progress} />
        </>
      ),
    },
    { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
    { key: 'created_at', title: t('column.at'), sorter: true, render: (_, row) => <DateTime at={row.created_at} /> },
  ]
}

/** What a change did, line by line. */
type DrawerProps = { change: ConfigChange; is_platform: boolean; onClose: () => void }
function VersionDrawer({ change, is_platform, onClose }: DrawerProps) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const call = is_platform ? api.opsTerminalConfig.change_get : api.terminalConfig.change_get
  const query = useCall(call as typeof api.terminalConfig.change_get, { kid: change.kid })
  const may_see = useMay('pushTaskList')
  const { data } = query
  const [other_kid, setOther] = useState<string>()
  const other = useCall(call as typeof api.terminalConfig.change_get, { kid: other_kid ?? change.kid }).data
  const before = other_kid === undefined ? data?.before : other?.after
  // Of a secret that changed both look alike.
  const differing =
    other_kid === undefined
      ? (data?.sections ?? []).filter(isSection)
      : configSectionKeys.filter((section) => !isEqual(before?.[section], data?.after[section]))
  return (
    <Drawer size={680} title={t('version.name', { version: change.version })} onClose={onClose}>
      <p className="dim">
        {change.place_name ?? t(is_platform ? 'level.platform' : 'level.account')} · {t(`act.${change.act}`)} ·{' '}
        {change.created_by} · <DateTime at={change.created_at} />
      </p>
      {query.error && <Failure error={query.error} retry={query.refetch} />}
      {data?.push_task_kid && may_see && (
        <Suspense>
          <Steps change={data} push_task_kid={data.push_task_kid} onAborted={onClose} />
        </Suspense>
      )}
      <OtherVersion change={change} is_platform={is_platform} value={other_kid} onChange={setOther} />
      {data && before && differing.length === 0 && <p className="dim">{t('version.same')}</p>}
      {data &&
        before &&
        differing.map((section) => {
          const title = textOf(sectionOf(section).title)
          return (
            <section key={section} className="config-section" aria-label={title}>
              <h3>{title}</h3>
              {data.after[section] === undefined && <p>{t('version.was_reset')}</p>}
              <SectionDifferences section={section} before={before[section]} after={data.after[section]} />
            </section>
          )
        })}
    </Drawer>
  )
}

type OtherProps = Omit<DrawerProps, 'onClose'> & {
  value: string | undefined
  onChange: (kid: string | undefined) => void
}
/** The version that this one is compared with: the one before it, or any other of the same configuration. */
function OtherVersion({ change, is_platform, value, onChange }: OtherProps) {
  const { t } = useTranslation('configure/edit')
  const call = (is_platform ? api.opsTerminalConfig.change_paging : api.terminalConfig.change_paging) as Paging
  const of = is_platform ? {} : { ...placeOfChange(change), types: [change.type] }
  const versions = useCall(call, { ...of, page_size: 100 }).data?.items ?? []
  const others = versions.filter(({ kid, type }) => kid !== change.kid && type === change.type)
  if (others.length === 0) return null
  return (
    <Select
      className="config-other-version"
      aria-label={t('version.compared')}
      allowClear
      placeholder={t('version.compared')}
      value={value ?? null}
      onChange={(kid: string | null) => onChange(kid ?? undefined)}
      options={others.map(({ kid, version }) => ({ value: kid, label: t('version.name', { version }) }))}
    />
  )
}

/** How far the devices of a change are. */
function Progress({ of }: { of: ConfigChange['progress'] }) {
  const { t } = useTranslation('configure/edit')
  const count = useCount()
  const { devices, applied, waiting, failed, superseded, held, is_queuing } = of
  if (devices === 0) return <span className="dim">{t('progress.no_devices')}</span>
  const ended = applied + failed + superseded
  const percent = is_queuing ? 0 : Math.floor((ended / devices) * 100)
  return (
    <span className="config-progress">
      <ProgressBar percent={percent} label={t('progress.label', { percent })} />
      <span className="dim">{t('progress.of', { ended: count(ended), devices: count(devices) })}</span>
      {waiting > 0 && <StateBadge tone="moving">{t('progress.waiting', { count: waiting })}</StateBadge>}
      {held > 0 && <StateBadge tone="quiet">{t('progress.held', { count: held })}</StateBadge>}
      {failed > 0 && <StateBadge tone="bad">{t('progress.failed', { count: failed })}</StateBadge>}
    </span>
  )
}
