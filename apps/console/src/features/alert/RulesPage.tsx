import { BellOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { alertKindNames, alertKinds, alertLimits, pages } from '@mdm/contract'
import type { AlertRule } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May, useMay } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { listText } from '../../i18n/list-text.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { ExplainedBadge } from '../../ui/value/ExplainedBadge.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, Clipped, Dash, DateTime } from '../../ui/value/values.tsx'
import { useWhomText } from './rule-devices.tsx'
import { severityTones } from './tones.ts'
import { useSilence } from './use-silence.ts'

const RuleForm = lazy(() => import('./RuleForm.tsx'))
const edit = 'alertRuleList:edit'

/** What is watched, for whom, and what happens then. */
export default function RulesPage() {
  const { t } = useTranslation(['alert', 'common'])
  const navigate = useNavigate()
  const list = useListTable(api.alertRule.paging, {
    id: 'alert-rule-list',
    filters: { text: 'text', kind: 'text' },
  })
  const textOf = useTextOf()
  const dialog = useDialog({ add: edit, edit, delete: edit }, list.rows)
  const [editing, deleting] = [dialog.of('edit'), dialog.of('delete')]
  const silence = useSilence()
  const columns = useColumns((row) => dialog.open('edit', row))
  const isSilent = (row: AlertRule) => row.silenced_until !== null && Date.parse(row.silenced_until) > Date.now()
  const rowActions = (row: AlertRule): RowAction[] => [
    { needs: edit, label: t('common:edit'), onSelect: () => dialog.open('edit', row) },
    ...silence({ ...row, is_silent: isSilent(row) }),
    { needs: edit, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', row) },
  ]
  const add = (
    <AddButton needs={edit} onClick={() => dialog.open('add')}>
      {t('rule.add')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        page={pages.alertRuleList}
        columns={columns}
        search={t('rule.search')}
        filters={[
          {
            key: 'kind',
            kind: 'one',
            label: t('form.kind'),
            options: alertKindNames.map((value) => ({ value, label: textOf(alertKinds[value].title) })),
          },
        ]}
        primary={
          <>
            <May needs="alertList">
              <Button icon={<BellOutlined aria-hidden />} onClick={() => void navigate(link.alertList.to())}>
                {t('alerts')}
              </Button>
            </May>
            {add}
          </>
        }
        nameOf={({ name }) => name}
        rowActions={rowActions}
        empty={{ title: t('rule.empty'), hint: t('rule.empty_hint'), action: add }}
      />
      <Suspense>
        {dialog.is('add') && <RuleForm onClose={dialog.close} />}
        {editing && <RuleForm of={editing} onClose={dialog.close} />}
      </Suspense>
      {deleting && (
        <ConfirmWrite
          call={api.alertRule.delete}
          input={{ kid: deleting.kid }}
          title={t('rule.delete_title', { name: deleting.name })}
          submit={t('rule.delete_submit')}
          done={t('rule.deleted', { name: deleting.name })}
          onClose={dialog.close}
        >
          <p>{t('rule.delete_what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(open: (row: AlertRule) => void): Column<AlertRule>[] {
  const { t } = useTranslation(['alert', 'common'])
  const textOf = useTextOf()
  const count = useCount()
  const whom = useWhomText()
  const may_edit = useMay(edit)
  return [
    {
      key: 'name',
      title: t('form.name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) =>
        may_edit ? (
          <button type="button" className="link" onClick={() => open(row)}>
            <Clipped text={row.name} />
          </button>
        ) : (
          row.name
        ),
    },
    {
      key: 'is_on',
      title: t('common:state'),
      export: { labels: { true: t('rule.on'), false: t('rule.off') } },
      render: (_, row) => <RuleState of={row} />,
    },
    {
      key: 'kind',
      title: t('form.kind'),
      export: false,
      render: (_, row) => textOf(alertKinds[row.watch.kind].title),
    },
    {
      key: 'match',
      title: t('form.devices'),
      export: false,
      render: (_, row) => (
        <Clipped text={alertKinds[row.watch.kind].subject === 'account' ? t('rule.account') : whom(row)} />
      ),
    },
    {
      key: 'severity',
      title: t('column.severity'),
      export: { labels: t('severity', { returnObjects: true }) },
      render: (_, row) => <StateBadge tone={severityTones[row.severity]}>{t(`severity.${row.severity}`)}</StateBadge>,
    },
    { key: 'firing', title: t('rule.firing'), align: 'right', render: (_, row) => count(row.firing) },
    { key: 'waiting', title: t('rule.waiting'), align: 'right', render: (_, row) => count(row.waiting) },
    {
      key: 'emails',
      title: t('rule.tells'),
      render: (_, row) => <Tells of={row} />,
    },
    {
      key: 'action',
      title: t('rule.action'),
      export: false,
      render: (_, row) => (
        <>
          {row.action ? t(`action.${row.action.type}`) : <Dash />}{' '}
          {row.last_error && (
            <ExplainedBadge tone="warn" why={row.last_error}>
              {t('rule.action_failed')}
            </ExplainedBadge>
          )}
        </>
      ),
    },
    {
      key: 'is_noncompliant',
      title: t('rule.noncompliant'),
      export: { labels: { true: t('common:yes'), false: t('common:no') } },
      render: (_, row) => t(row.is_noncompliant ? 'common:yes' : 'common:no'),
    },
    {
      key: 'silenced_until',
      title: t('rule.silenced_until'),
      render: (_, row) => (row.silenced_until ? <DateTime at={row.silenced_until} /> : <Dash />),
    },
    { key: 'updated_at', title: t('rule.updated'), sorter: true, render: (_, row) => <Ago at={row.updated_at} /> },
    { key: 'created_by', title: t('rule.by'), is_hidden: true, render: (_, row) => row.created_by },
  ]
}

/** Who hears of it, and why somebody does not. */
function Tells({ of: { emails, mail_fault, unreached } }: { of: AlertRule }) {
  const { t } = useTranslation('alert')
  const told = listText([t('rule.console'), ...emails])
  const why = { addresses: listText(unreached), max: alertLimits.mails_per_hour }
  return (
    <>
      {mail_fault && (
        <ExplainedBadge tone="warn" why={t(`rule.mail_why.${mail_fault}`, why)}>
          {t(`rule.mail.${mail_fault}`)}
        </ExplainedBadge>
      )}{' '}
      <Clipped text={told} />
    </>
  )
}

/** A rule that is on watches nothing while its maker may make none. */
function RuleState({ of: { is_on, is_paused, created_by } }: { of: AlertRule }) {
  const { t } = useTranslation('alert')
  if (!is_on) return <StateBadge tone="quiet">{t('rule.off')}</StateBadge>
  if (!is_paused) return <StateBadge tone="good">{t('rule.on')}</StateBadge>
  return (
    <ExplainedBadge tone="warn" why={t('rule.paused_why', { name: created_by })}>
      {t('rule.paused')}
    </ExplainedBadge>
  )
}
