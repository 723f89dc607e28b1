import { ControlOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { alertKinds, alertStates, pages, severities } from '@mdm/contract'
import type { Alert } from '@mdm/contract'
import { useSearch, withParams } from '../../core/address.ts'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May, useMay } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { Failure } from '../../ui/Failure.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import type { Preset } from '../../ui/list/Presets.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Clipped, Dash } from '../../ui/value/values.tsx'
import { AlertDrawer } from './AlertDrawer.tsx'
import { AlertStateBadge } from './AlertStateBadge.tsx'
import { useAssigneeFilter } from './assignee-filter.tsx'
import { BulkDialog, BulkHandling } from './BulkHandling.tsx'
import type { Chosen } from './BulkHandling.tsx'
import { Handled } from './Handled.tsx'
import { NoteForm } from './NoteForm.tsx'
import { severityTones } from './tones.ts'
import { useHandling } from './use-handling.ts'
import { nobody, useOwnKid } from './use-people.ts'
import { useSilence } from './use-silence.ts'

const handle = 'alertList:handle'

/** What is wrong now, and what was. */
export default function AlertsPage() {
  const { t } = useTranslation(['alert', 'common'])
  const textOf = useTextOf()
  const navigate = useNavigate()
  const count = useCount()
  const [search, setSearch] = useSearch()
  const list = useListTable(api.alert.paging, {
    id: 'alert-list',
    filters: {
      text: 'text',
      states: 'texts',
      severity: 'text',
      assignee: 'text',
      rule_kid: 'text',
      from: 'text',
      to: 'text',
    },
  })
  const asked = search.get('alert')
  const listed = list.rows.find(({ kid }) => kid === asked)
  // A link of a mail leads to an alert that may be far down the list.
  const query = useCall(api.alert.get, { kid: asked ?? '' }, { enabled: asked !== null && !listed })
  const opened = listed ?? (asked === null ? undefined : query.data)
  const dialog = useDialog({ resolve: handle, note: handle }, opened ? [...list.rows, opened] : list.rows)
  const [resolving, noting] = [dialog.of('resolve'), dialog.of('note')]
  const acknowledge = useWrite(api.alert.acknowledge)
  const handling = useHandling()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const own_kid = useOwnKid()
  const assignee = useAssigneeFilter(list)
  const may_handle = useMay(handle)
  const silence = useSilence()
  const show = (kid: string | null) => setSearch((before) => withParams(before, { alert: kid }))
  const presets: Preset[] = [
    { label: t('preset.unresolved'), values: { states: ['open', 'acknowledged'] } },
    ...(own_kid ? [{ label: t('preset.mine'), values: { assignee: 'me' } }] : []),
    { label: t('preset.unassigned'), values: { assignee: nobody } },
  ]
  // Nobody looks for a rule here: it is a link that asks for one.
  const ofRule: Filter[] = list.values.rule_kid
    ? [
        {
          key: 'rule_kid',
          kind: 'elsewhere',
          label: t('column.rule'),
          shown: list.rows[0]?.rule_name ?? list.rows[0]?.name,
          open: () => void navigate(link.alertRuleList.to()),
        },
      ]
    : []
  const columns: Column<Alert>[] = [
    {
      key: 'name',
      title: t('column.name'),
      is_fixed: true,
      render: (_, row) => (
        <button type="button" className="link" onClick={() => show(row.kid)}>
          <Clipped text={row.name} />
        </button>
      ),
    },
    {
      key: 'state',
      title: t('column.state'),
      sorter: true,
      export: { labels: t('state', { returnObjects: true }) },
      render: (_, row) => (
        <>
          <AlertStateBadge state={row.state} />
          {row.is_silenced && <span className="dim"> {t('silenced')}</span>}
        </>
      ),
    },
    {
      key: 'severity',
      title: t('column.severity'),
      export: { labels: t('severity', { returnObjects: true }) },
      render: (_, row) => <StateBadge tone={severityTones[row.severity]}>{t(`severity.${row.severity}`)}</StateBadge>,
    },
    { key: 'count', title: t('column.count'), align: 'right', render: (_, row) => count(row.count) },
    {
      key: 'peak',
      title: t('column.peak'),
      align: 'right',
      is_hidden: true,
      render: (_, row) => count(row.peak),
    },
    {
      key: 'assignee',
      title: t('column.assignee'),
      export: { key: 'assignee_name' },
      render: (_, row) => <Clipped text={row.assignee_name} />,
    },
    { key: 'opened_at', title: t('column.opened'), sorter: true, render: (_, row) => <Ago at={row.opened_at} /> },
    { key: 'note', title: t('column.note'), render: (_, row) => <Clipped text={row.note} /> },
    { key: 'kind', title: t('column.kind'), render: (_, row) => textOf(alertKinds[row.kind].title) },
    {
      key: 'acknowledged_by',
      title: t('column.handled'),
      is_hidden: true,
      render: (_, row) => row.acknowledged_by,
    },
    {
      key: 'resolved_at',
      title: t('column.resolved'),
      render: (_, row) =>
        row.resolved_at ? (
          <>
            <Ago at={row.resolved_at} /> <span className="dim">{row.resolved_by ?? t('column.itself')}</span>
          </>
        ) : (
          <Dash />
        ),
    },
    {
      key: 'resolved_by',
      title: t('column.resolved_by'),
      is_hidden: true,
      render: (_, row) => (row.resolved_at ? (row.resolved_by ?? t('column.itself')) : <Dash />),
    },
  ]
  const takeOver = (row: Alert, to: string): RowAction => ({
    needs: handle,
    label: t('assignee.take'),
    onSelect: () => void handling.assign([row], to),
  })
  const rowActions = (row: Alert): RowAction[] => [
    ...(row.state === 'open'
      ? [
          {
            needs: handle,
            label: t('acknowledge'),
            onSelect: () => void acknowledge.run({ kid: row.kid }),
          } satisfies RowAction,
        ]
      : []),
    { label: t('show'), onSelect: () => show(row.kid) },
    { needs: handle, label: t('note.edit'), onSelect: () => dialog.open('note', row) },
    ...(row.state === 'resolved'
      ? []
      : [
          ...(own_kid && row.assignee_kid !== own_kid ? [takeOver(row, own_kid)] : []),
          ...silence({ kid: row.rule_kid, name: row.name, is_silent: row.is_silenced }),
          { needs: handle, label: t('resolve'), onSelect: () => dialog.open('resolve', row) } satisfies RowAction,
        ]),
  ]
  const bulk = ({ selection }: Pick<typeof list, 'selection'>) => (
    <BulkHandling alerts={selection.rows} handling={handling} onChoose={setChosen} onDone={selection.clear} />
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.alertList}
        columns={columns}
        search={t('search')}
        filters={[
          {
            key: 'states',
            kind: 'many',
            label: t('column.state'),
            options: alertStates.map((value) => ({ value, label: t(`state.${value}`) })),
          },
          {
            key: 'severity',
            kind: 'one',
            label: t('column.severity'),
            options: severities.map((value) => ({ value, label: t(`severity.${value}`) })),
          },
          assignee,
          { key: 'from', until: 'to', kind: 'time', label: t('column.opened') },
          ...ofRule,
        ]}
        presets={presets}
        primary={
          <May needs="alertRuleList">
            <Button icon={<ControlOutlined aria-hidden />} onClick={() => void navigate(link.alertRuleList.to())}>
              {t('rules')}
            </Button>
          </May>
        }
        nameOf={({ name }) => name}
        bulk={may_handle ? bulk : undefined}
        rowActions={rowActions}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {opened && (
        <AlertDrawer
          key={opened.kid}
          alert={opened}
          handling={handling}
          onAcknowledge={() => void acknowledge.run({ kid: opened.kid })}
          onResolve={() => dialog.open('resolve', opened)}
          onNote={() => dialog.open('note', opened)}
          onClose={() => show(null)}
        />
      )}
      {noting && <NoteForm alert={noting} onClose={dialog.close} />}
      {chosen && (
        <BulkDialog chosen={chosen} handling={handling} onDone={list.selection.clear} onClose={() => setChosen(null)} />
      )}
      {handling.outcome && <Handled outcome={handling.outcome} onClose={handling.close} />}
      {asked !== null && !opened && query.error && (
        // Where the alert would be: below the list nobody finds what is said of it.
        <Drawer size={720} title={t('unknown')} onClose={() => show(null)}>
          <Failure error={query.error} retry={query.refetch} />
        </Drawer>
      )}
      {resolving && (
        <ConfirmWrite
          call={api.alert.resolve}
          input={{ kid: resolving.kid }}
          title={t('resolve_title', { name: resolving.name })}
          submit={t('resolve')}
          done={t('resolved', { name: resolving.name })}
          onClose={dialog.close}
        >
          <p>{t('resolve_what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}
