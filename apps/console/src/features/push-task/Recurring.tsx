import { Switch } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { holds, pushKinds } from '@mdm/contract'
import type { PushSchedule } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { notify } from '../../core/notices.ts'
import { useSession } from '../../core/session.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { zoneLabel } from '../../lib/zones.ts'
import { useCronLabels } from './task/cron-labels.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Ago, Clipped, DateTime } from '../../ui/value/values.tsx'
import { EditRecurring } from './EditRecurring.tsx'
import { PushContent } from './PushContent.tsx'
import { WholeList } from '../../ui/list/WholeList.tsx'

const needs = 'pushTaskList:schedule'

/** Pushes that are made again and again, each run as a task of its own. */
export function Recurring({ create }: { create: ReactNode }) {
  const { t } = useTranslation(['push-task', 'common'])
  const query = useCall(api.pushSchedule.list, {})
  const rows = query.data ?? []
  const dialog = useDialog({ edit: needs, delete: needs }, rows)
  const columns = useColumns((row) => dialog.open('edit', row))
  const [editing, deleting] = [dialog.of('edit'), dialog.of('delete')]
  const rowActions = (row: PushSchedule): RowAction[] => [
    { needs, label: t('common:edit'), onSelect: () => dialog.open('edit', row) },
    { label: t('recurring.runs_of', { name: row.name }), to: link.pushTaskList.to({ schedule_kid: row.kid }) },
    { needs, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', row) },
  ]
  return (
    <>
      <WholeList<PushSchedule>
        title={t('tab.recurring')}
        query={query}
        rows={rows}
        columns={columns}
        rowActions={rowActions}
        empty={{ title: t('recurring.empty'), hint: t('recurring.empty_hint'), action: create }}
      />
      {editing && <EditRecurring schedule={editing} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={api.pushSchedule.delete}
          input={{ kid: deleting.kid }}
          title={t('recurring.delete.title', { name: deleting.name })}
          submit={t('recurring.delete.submit')}
          done={t('recurring.delete.done')}
          onClose={dialog.close}
        >
          <p>{t('recurring.delete.what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(edit: (row: PushSchedule) => void): Column<PushSchedule>[] {
  const { t } = useTranslation('push-task')
  const count = useCount()
  const cronLabel = useCronLabels()
  const { permissions } = useSession()
  const language = useSessionStore((s) => s.language)
  return [
    {
      key: 'name',
      title: t('recurring.name'),
      render: (_, row) =>
        holds(permissions, needs) ? (
          <button type="button" className="link" onClick={() => edit(row)}>
            <Clipped text={row.name} />
          </button>
        ) : (
          row.name
        ),
    },
    { key: 'is_on', title: t('recurring.is_on'), render: (_, row) => <OnOff row={row} /> },
    {
      key: 'what',
      title: t('recurring.what'),
      render: (_, row) => <PushContent row={row} />,
    },
    {
      key: 'for',
      title: t('recurring.for'),
      render: (_, { to }) =>
        to.terminal_kids
          ? t('recurring.for_devices', { count: to.terminal_kids.length, shown: count(to.terminal_kids.length) })
          : t('recurring.for_match'),
    },
    {
      key: 'when',
      title: t('recurring.when'),
      render: (_, { cron, zone }) => (
        <span className="push-cell-lines">
          <span title={cron}>{cronLabel(cron) ?? <code>{cron}</code>}</span>
          <span className="dim" title={zone}>
            {zoneLabel(language, zone)}
          </span>
        </span>
      ),
    },
    {
      key: 'next_at',
      title: t('recurring.next'),
      render: (_, { next_at }) =>
        next_at ? <DateTime at={next_at} /> : <span className="dim">{t('recurring.off')}</span>,
    },
    {
      key: 'last_at',
      title: t('recurring.last'),
      render: (_, row) => <LastRun row={row} />,
    },
    {
      key: 'runs',
      title: t('recurring.runs'),
      align: 'right',
      render: (_, { runs }) => <span className="number">{count(runs)}</span>,
    },
  ]
}

function LastRun({ row }: { row: PushSchedule }) {
  const { t } = useTranslation('push-task')
  const { last_at, last_task_kid, last_error } = row
  if (!last_at) return <span className="dim">{t('recurring.never')}</span>
  const error = last_error && t('recurring.error', { reason: last_error })
  return (
    <span className="push-cell-lines">
      {last_task_kid && !last_error ? (
        <Link to={link.pushTaskDetail.to({ kid: last_task_kid })}>
          <Ago at={last_at} />
        </Link>
      ) : (
        <Ago at={last_at} />
      )}
      {error && (
        <span className="push-last-error" title={error}>
          {last_error}
        </span>
      )}
    </span>
  )
}

/** Who may not push the kind may not make it be pushed either. */
function OnOff({ row }: { row: PushSchedule }) {
  const { t } = useTranslation('push-task')
  const { permissions } = useSession()
  const update = useWrite(api.pushSchedule.update, {
    onSuccess: ({ is_on }) => notify.ok(t(is_on ? 'recurring.turned_on' : 'recurring.turned_off')),
  })
  const { kid, name, cron, zone, is_on, type } = row
  const may_switch = [needs, pushKinds[type].needs].every((each) => holds(permissions, each))
  return (
    <Switch
      size="small"
      checked={is_on}
      disabled={!may_switch}
      loading={update.isPending}
      aria-label={t('recurring.switch', { name })}
      onChange={(wanted) => void update.run({ kid, name, cron, zone, is_on: wanted })}
    />
  )
}
