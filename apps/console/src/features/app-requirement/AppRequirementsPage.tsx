import { Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { holds, pages } from '@mdm/contract'
import type { AppRequirement } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { notify } from '../../core/notices.ts'
import { useSession } from '../../core/session.tsx'
import { matches } from '../../shared/groups/group-tree.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Ago, Clipped, OrDash } from '../../ui/value/values.tsx'
import { RequirementDrawer } from './RequirementDrawer.tsx'
import './app-requirement.css'

const needs = 'appRequiredList:edit'

/** Apps that the devices of a group have to have, and how far they are from it. */
export default function AppRequirementsPage() {
  const { t } = useTranslation(['app-requirement', 'common'])
  const query = useCall(api.appRequirement.list, {})
  const rows = query.data ?? []
  const dialog = useDialog({ add: needs, edit: needs, delete: needs }, rows)
  const [editing, deleting] = [dialog.of('edit'), dialog.of('delete')]
  const look = useWrite(api.appRequirement.run, { done: t('looking') })
  const groupOf = (row: AppRequirement) => row.group_name ?? t('all_devices')
  const rowActions = (row: AppRequirement): RowAction[] => [
    {
      needs,
      label: t('look_now'),
      disabled_reason: row.is_on ? undefined : t('is_off'),
      onSelect: () => void look.run({ kid: row.kid }),
    },
    { needs, label: t('common:edit'), onSelect: () => dialog.open('edit', row) },
    { needs, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', row) },
  ]
  const add = (
    <AddButton needs={[needs, 'appCenterPush:push']} onClick={() => dialog.open('add')}>
      {t('add')}
    </AddButton>
  )
  return (
    <>
      <TreePage<AppRequirement>
        id="app-required-list"
        page={pages.appRequiredList}
        call={api.appRequirement.list}
        query={query}
        nodes={rows}
        columns={useColumns()}
        rowActions={rowActions}
        nameOf={(row) => `${row.app_name}, ${groupOf(row)}`}
        search={t('search')}
        isMatch={(row, text) => [row.app_name, row.package, groupOf(row)].some((part) => matches(part, text))}
        primary={add}
        note={t('note')}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: add }}
      />
      {dialog.is('add') && <RequirementDrawer onClose={dialog.close} />}
      {editing && <RequirementDrawer row={editing} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={api.appRequirement.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.app_name, group: groupOf(deleting) })}
          submit={t('delete.submit')}
          done={t('delete.done')}
          onClose={dialog.close}
        >
          <p>{t('delete.what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function useColumns(): Column<AppRequirement>[] {
  const { t } = useTranslation(['app-requirement', 'common'])
  const { permissions } = useSession()
  const may_open = holds(permissions, 'appCenterDetails')
  return [
    {
      key: 'app_name',
      title: t('column.app'),
      is_fixed: true,
      render: (_, { app_kid, app_name, version_kid, version_name }) => (
        <>
          <Clipped text={app_name}>
            {may_open ? <Link to={link.appCenterDetails.to({ kid: app_kid })}>{app_name}</Link> : app_name}
          </Clipped>{' '}
          <span className="dim">
            {version_name ?? (version_kid !== null && t('version.gone_of'))}
            {version_kid !== null && version_name !== null && ` (${t('version.fixed')})`}
          </span>
        </>
      ),
    },
    { key: 'is_on', title: t('column.on'), render: (_, row) => <OnOff row={row} /> },
    { key: 'package', title: t('column.package'), is_hidden: true, render: (_, row) => row.package },
    {
      key: 'group_name',
      title: t('column.group'),
      render: (_, { group_name }) =>
        group_name ? <Clipped text={group_name} /> : <span className="dim">{t('all_devices')}</span>,
    },
    {
      key: 'counts',
      title: t('column.standing'),
      export: false,
      render: (_, row) => <Standing row={row} />,
    },
    {
      key: 'looked_at',
      title: t('column.looked'),
      render: (_, { looked_at, last_error }) => (
        <span className="required-looked">
          {looked_at ? <Ago at={looked_at} /> : <span className="dim">{t('never')}</span>}
          {last_error && (
            <span className="required-error" title={last_error}>
              {last_error}
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'last_task_kid',
      title: t('column.push'),
      export: false,
      render: (_, { last_task_kid }) => (
        <OrDash>
          {last_task_kid && holds(permissions, 'pushTaskList') && (
            <Link to={link.pushTaskDetail.to({ kid: last_task_kid })}>{t('open_push')}</Link>
          )}
        </OrDash>
      ),
    },
    { key: 'created_by', title: t('column.by'), render: (_, row) => row.created_by },
  ]
}

/** How many have it, as a bar; what is missing leads to its devices. */
function Standing({ row }: { row: AppRequirement }) {
  const { t } = useTranslation('app-requirement')
  const count = useCount()
  const { permissions } = useSession()
  const { counts, package: name, version_name, version_code, terminal_group_kid } = row
  if (!counts) return <span className="dim">{t('never')}</span>
  const able = counts.has_it + counts.below + counts.missing
  const left_out = counts.left_out.reduce((sum, each) => sum + each.count, 0)
  const devices = (op: 'is_below' | 'is_not_installed', text: string) => {
    const offered = { version: version_name ?? '', ...(version_code !== null && { version_code }) }
    const value = { package: name, ...(op === 'is_below' && offered) }
    const where = JSON.stringify({ all: [{ field: 'app', op, value }] })
    const within = terminal_group_kid ? { terminal_group_kid } : {}
    return holds(permissions, 'deviceList') ? <Link to={link.deviceList.to({ where, ...within })}>{text}</Link> : text
  }
  return (
    <span className="required-standing">
      <span className="required-bar" aria-hidden>
        <i style={{ width: `${able === 0 ? 0 : (counts.has_it / able) * 100}%` }} />
      </span>
      <span>{t('standing.has_it', { shown: count(counts.has_it), of: count(able) })}</span>
      {counts.below > 0 && devices('is_below', t('standing.below', { shown: count(counts.below) }))}
      {counts.missing > 0 && devices('is_not_installed', t('standing.missing', { shown: count(counts.missing) }))}
      {counts.waiting > 0 && <span className="dim">{t('standing.waiting', { shown: count(counts.waiting) })}</span>}
      {counts.failing > 0 && (
        <span className="required-error">{t('standing.failing', { shown: count(counts.failing) })}</span>
      )}
      {left_out > 0 && <span className="dim">{t('standing.left_out', { shown: count(left_out) })}</span>}
    </span>
  )
}

function OnOff({ row: { kid, is_on, app_name } }: { row: AppRequirement }) {
  const { t } = useTranslation('app-requirement')
  const { permissions } = useSession()
  const update = useWrite(api.appRequirement.update, {
    onSuccess: (row) => notify.ok(t(row.is_on ? 'turned_on' : 'turned_off')),
  })
  const may_switch = [needs, 'appCenterPush:push'].every((each) => holds(permissions, each))
  return (
    <Switch
      size="small"
      checked={is_on}
      disabled={!may_switch}
      loading={update.isPending}
      aria-label={t('switch', { name: app_name })}
      onChange={(wanted) => void update.run({ kid, is_on: wanted })}
    />
  )
}
