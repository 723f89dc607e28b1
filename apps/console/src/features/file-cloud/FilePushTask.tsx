import { SendOutlined } from '@ant-design/icons'
import { Button, Drawer } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { isFinal } from '@mdm/contract'
import type { PushTaskRow, PushTaskTerminal } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { PushActions } from '../../shared/push/PushActions.tsx'
import { PushProcess } from '../../shared/push/PushProcess.tsx'
import { PushProgress, PushResultBadge, PushStateBadge } from '../../shared/push/PushStateBadge.tsx'
import { usePushStateFilter } from '../../shared/push/push-filter.ts'
import { retryNeeds, usePushLabels } from '../../shared/push/push-labels.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { DetailPage, Properties } from '../../ui/DetailPage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { OnlineBadge } from '../../ui/value/StateBadge.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useOpened } from '../../ui/dialog/use-opened.ts'
import { Ago, DateTime, OrDash } from '../../ui/value/values.tsx'
import { May } from '../../core/session.tsx'
import { CountsBar } from './CountsBar.tsx'
import { link } from '../../core/links.ts'

/** One push: how far it is, and its devices, live. */
export function FilePushTask({ kid }: { kid: string }) {
  const { t } = useTranslation(['file-cloud', 'push', 'common'])
  const query = useCall(api.pushTask.get, { kid })
  const task = query.data
  return (
    <DetailPage
      title={task?.summary || t('push.task')}
      icon={<SendOutlined aria-hidden />}
      state={task && <PushResultBadge result={task.result} />}
      actions={
        <>
          {task && <TaskActions task={task} />}
          <Link className="back-link" to={link.fileCloudPush.to()}>
            {t('push.all_pushes')}
          </Link>
        </>
      }
      properties={[
        { label: t('push.description'), value: task?.description },
        { label: t('column.created_by'), value: task?.created_by },
        { label: t('common:created_at'), value: task && <DateTime at={task.created_at} /> },
        { label: t('push.progress'), value: task && <CountsBar counts={task.counts} with_legend /> },
      ]}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      <Devices kid={kid} />
    </DetailPage>
  )
}

function TaskActions({ task }: { task: PushTaskRow }) {
  const { t } = useTranslation(['file-cloud', 'push', 'common'])
  const count = useCount()
  const [is_asking, setAsking] = useState(false)
  const retry = useWrite(api.pushTask.retry, {
    onSuccess: ({ retried }) => notify.ok(t('push.retried', { count: retried, shown: count(retried) })),
  })
  const cancel = useWrite(api.pushTask.cancel, {
    onSuccess: ({ canceled, asked }) => {
      const of_all = { canceled: count(canceled), asked: count(asked) }
      notify.ok(
        asked > 0
          ? t('push.canceled', of_all)
          : t('push.canceled_at_once', { count: canceled, shown: count(canceled) }),
      )
      setAsking(false)
    },
  })
  const { failed, canceled, wait_receipt, running } = task.counts
  const again = failed + canceled
  const open = wait_receipt + running
  const not_retry = task.can.includes('retry') ? undefined : t('push.nothing_to_retry')
  const not_cancel = task.can.includes('cancel') ? undefined : t('push:not_cancelable')
  return (
    <>
      <May needs={retryNeeds(task.type)}>
        <DisabledReason because={not_retry}>
          <Button
            disabled={!!not_retry}
            loading={retry.isPending}
            onClick={() => void retry.run({ push_task_kid: task.kid })}
          >
            {not_retry ? t('push:retry') : t('push.retry_all', { count: again, shown: count(again) })}
          </Button>
        </DisabledReason>
      </May>
      <May needs="deviceDetailTask:cancel">
        <DisabledReason because={not_cancel}>
          <Button disabled={!!not_cancel} onClick={() => setAsking(true)}>
            {t('push:cancel')}
          </Button>
        </DisabledReason>
      </May>
      {is_asking && (
        <ConfirmDanger
          title={t('push.cancel_title', { count: open, shown: count(open) })}
          submit={t('push.cancel_submit', { count: open, shown: count(open) })}
          dismiss={t('push:cancel_keep')}
          loading={cancel.isPending}
          submitError={cancel.error}
          onConfirm={() => cancel.mutateAsync({ push_task_kid: task.kid })}
          onClose={() => setAsking(false)}
        >
          <p>{task.summary}</p>
          <p>{t('push:cancel_hint')}</p>
        </ConfirmDanger>
      )}
    </>
  )
}

type Row = PushTaskTerminal & { kid: string }
function Devices({ kid }: { kid: string }) {
  const { t, reason } = usePushLabels()
  const { t: tf } = useTranslation('file-cloud')
  const list = useListTable(api.pushTask.paging_terminal, {
    id: 'file-cloud-push-devices',
    filters: { states: 'texts' },
    fixed: { push_task_kid: kid },
  })
  const rows: Row[] = list.rows.map((row) => ({ ...row, kid: row.terminal_kid }))
  const state_filter = usePushStateFilter()
  const { opened, open, linkTo } = useOpened('device')
  const openRow = rows.find((row) => row.kid === opened)
  const columns: Column<Row>[] = [
    {
      key: 'sn',
      title: tf('column.sn'),
      is_fixed: true,
      render: (_, row) => (
        <Link to={linkTo(row.kid)} preventScrollReset>
          <code>{row.sn}</code>
        </Link>
      ),
    },
    { key: 'name', title: tf('column.alias'), render: (_, row) => <OrDash>{row.name}</OrDash> },
    {
      key: 'is_online',
      title: tf('column.device'),
      export: { labels: { true: t('common:online'), false: t('common:offline') } },
      render: (_, row) => (
        <OnlineBadge is_online={row.is_online} label={t(row.is_online ? 'common:online' : 'common:offline')} />
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: t('push:state', { returnObjects: true }) },
      render: (_, row) => (
        <span className="push-device-state">
          <PushStateBadge state={row.state} cancel_asked={row.cancel_asked} />
          <PushProgress state={row.state} progress={row.progress} />
        </span>
      ),
    },
    {
      key: 'state_at',
      title: tf('column.since'),
      sorter: true,
      export: { title: t('common:updated_at') },
      render: (_, row) => <Ago at={row.state_at} />,
    },
    {
      key: 'reason',
      title: tf('column.reason'),
      export: [
        { key: 'code', labels: t('push:code', { returnObjects: true }) },
        { key: 'message', title: t('common:list.export_detail', { name: tf('column.reason') }) },
      ],
      render: (_, row) => {
        const text = row.state === 'failed' || row.code ? reason(row) : undefined
        return (
          <OrDash>
            {text && (
              <span className="push-why" title={text}>
                {text}
              </span>
            )}
          </OrDash>
        )
      },
    },
    {
      key: 'attempt',
      title: tf('column.attempt'),
      align: 'right',
      is_hidden: true,
      render: (_, row) => <span className="number">{row.attempt}</span>,
    },
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      className: 'column-actions',
      render: (_, row) => <PushActions row={row} />,
    },
  ]
  return (
    <>
      <ListPage<Row>
        list={{ ...list, rows } as never}
        is_part
        title={tf('step.devices')}
        columns={columns}
        filters={[state_filter]}
        empty={{ title: tf('push.no_devices') }}
        onRow={(row) => open(row.kid)}
      />
      {openRow && <DeviceDrawer row={openRow} onClose={() => open(null)} />}
    </>
  )
}

function DeviceDrawer({ row, onClose }: { row: Row; onClose: () => void }) {
  const { t, reason } = usePushLabels()
  const { t: tf } = useTranslation('file-cloud')
  return (
    <Drawer
      open
      size={480}
      title={row.name ? `${row.sn} (${row.name})` : row.sn}
      onClose={onClose}
      extra={<PushActions row={row} size="middle" />}
    >
      <div className="push-drawer">
        <Properties
          of={[
            {
              label: t('common:state'),
              value: (
                <span className="push-device-state">
                  <PushStateBadge state={row.state} since={row.state_at} cancel_asked={row.cancel_asked} />
                  <PushProgress state={row.state} progress={row.progress} />
                </span>
              ),
            },
            {
              label: tf(row.state === 'completed' ? 'column.outcome' : 'column.reason'),
              value: reason(row) && <span className="push-words">{reason(row)}</span>,
            },
            ...(isFinal(row.state) ? [] : [{ label: tf('column.deadline'), value: <DateTime at={row.deadline_at} /> }]),
            { label: tf('column.attempt'), value: row.attempt },
            {
              label: tf('column.device'),
              value: (
                <May needs="deviceDetailInfo">
                  <Link to={link.deviceDetailInfo.to({ kid: row.terminal_kid })}>{tf('push.open_device')}</Link>
                </May>
              ),
            },
          ]}
        />
        <h2>{t('process')}</h2>
        <PushProcess push_task_kid={row.push_task_kid} terminal_kid={row.terminal_kid} />
      </div>
    </Drawer>
  )
}
