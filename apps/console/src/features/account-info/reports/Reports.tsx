import { MailOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pageList } from '@mdm/contract'
import type { ListReport } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { zoneLabel } from '../../../lib/zones.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { FormDrawer } from '../../../ui/form/form.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { ReportFields } from '../../../ui/list/report/ReportFields.tsx'
import type { ReportSettings } from '../../../ui/list/report/ReportFields.tsx'
import { useRhythm } from '../../../ui/list/report/rhythm.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago, DateTime } from '../../../ui/value/values.tsx'
import { Part } from '../Part.tsx'

/** Lists that are mailed to the person, and what became of the last mail. */
export function Reports() {
  const { t } = useTranslation(['ui/list/report', 'account-info', 'common'])
  const query = useCall(api.listReport.list, {}, { refetchMs: 10_000 })
  const rows = query.data ?? []
  const dialog = useDialog({ edit: 'signed_in', delete: 'signed_in' }, rows)
  const editing = dialog.of('edit')
  const deleting = dialog.of('delete')
  const pause = useWrite(api.listReport.update, { done: t('paused') })
  const resume = useWrite(api.listReport.update, { done: t('resumed') })
  const send = useWrite(api.listReport.send_now, { done: t('sent_now') })
  const columns = useReportColumns()
  const rowActions = ({ kid, state, ...row }: ListReport): RowAction[] => {
    const is_paused = state === 'paused'
    const to = placeOf(row)
    return [
      {
        label: t('send_now'),
        disabled_reason: is_paused ? t('why_paused') : undefined,
        onSelect: () => void send.run({ kid }),
      },
      is_paused
        ? { label: t('resume'), onSelect: () => void resume.run({ kid, state: 'on' }) }
        : { label: t('pause'), onSelect: () => void pause.run({ kid, state: 'paused' }) },
      { label: t('common:edit'), onSelect: () => dialog.open('edit', { kid }) },
      ...(to ? [{ label: t('open'), to }] : []),
      { label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', { kid }) },
    ]
  }
  return (
    <Part title={t('account-info:part.reports')} hint={t('hint')}>
      {query.error ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : query.data?.length === 0 ? (
        <div className="own-empty">
          <MailOutlined aria-hidden />
          <p>{t('none')}</p>
        </div>
      ) : (
        <ListTable<ListReport>
          columns={columns}
          rows={rows}
          loading={query.isPending}
          nameOf={({ name }) => name}
          rowActions={rowActions}
        />
      )}
      {editing && <EditReport key={editing.kid} report={editing} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={api.listReport.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.name })}
          submit={t('delete.submit')}
          done={t('delete.done')}
          onClose={dialog.close}
        >
          <p>{t('delete.what')}</p>
        </ConfirmWrite>
      )}
    </Part>
  )
}

/** Another name, file or time of a report; its list stays as it was. */
function EditReport({ report, onClose }: { report: ListReport; onClose: () => void }) {
  const { t } = useTranslation('ui/list/report')
  const { kid, name, format, every, hour, weekday, day, zone_id } = report
  const update = useWrite(api.listReport.update, { done: t('edit.done') })
  const initial = { name, format, every, hour, weekday, day, zone_id }
  return (
    <FormDrawer<ReportSettings>
      width={520}
      title={t('edit.title', { name })}
      submit={t('edit.submit')}
      initial={initial}
      loading={update.isPending}
      submitError={update.error}
      // Days that this rhythm does not ask for stay as they were.
      onSubmit={(settings) => update.mutateAsync({ kid, settings: { ...initial, ...settings } })}
      onDone={onClose}
      onClose={onClose}
    >
      <ReportFields zone_id={zone_id} />
    </FormDrawer>
  )
}

/** Where the list is, filtered as the report is. */
function placeOf({ page, search }: Pick<ListReport, 'page' | 'search'>): string | undefined {
  const path = pageList.find(({ name }) => name === page)?.path
  return path && (search ? `${path}?${search}` : path)
}

function useReportColumns(): Column<ListReport>[] {
  const { t } = useTranslation(['ui/list/report', 'common'])
  const rhythm = useRhythm()
  const language = useSessionStore((s) => s.language)
  return [
    {
      key: 'name',
      title: t('common:name'),
      render: (_, row) => {
        const to = placeOf(row)
        return (
          <span className="own-lines">
            {to ? <Link to={to}>{row.name}</Link> : row.name}
            <span className="dim">
              {row.format.toUpperCase()}
              {row.is_new_only && ` · ${t('new')}`}
            </span>
          </span>
        )
      },
    },
    {
      key: 'every',
      title: t('every'),
      render: (_, row) => (
        <span className="own-lines">
          {rhythm(row)}
          <span className="dim">{zoneLabel(language, row.zone_id)}</span>
        </span>
      ),
    },
    {
      key: 'state',
      title: t('common:state'),
      render: (_, { state, next_at }) =>
        state === 'paused' ? (
          <StateBadge tone="warn">{t('state.paused')}</StateBadge>
        ) : (
          <StateBadge tone={next_at ? 'good' : 'waiting'}>{t(next_at ? 'state.on' : 'state.sending')}</StateBadge>
        ),
    },
    {
      key: 'next_at',
      title: t('next'),
      render: (_, { next_at }) => (next_at ? <DateTime at={next_at} /> : <span className="dim">–</span>),
    },
    { key: 'last_at', title: t('last'), render: (_, row) => <Last row={row} /> },
  ]
}

function Last({ row: { last_at, last_outcome, last_rows, last_error } }: { row: ListReport }) {
  const { t } = useTranslation('ui/list/report')
  if (!last_at || !last_outcome) return <span className="dim">{t('never')}</span>
  return (
    <span className="own-lines">
      <span>
        {t(`outcome.${last_outcome}`)} <Ago at={last_at} />
      </span>
      {last_rows !== null && <span className="dim">{t('rows', { count: last_rows })}</span>}
      {last_error && <span className="dim">{last_error}</span>}
    </span>
  )
}
