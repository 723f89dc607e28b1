import { EllipsisOutlined } from '@ant-design/icons'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Permission, TerminalDynamicGroup, Where } from '@mdm/contract'
import { DropMenu } from '../../../ui/dialog/DropMenu.tsx'
import { api, useCall } from '../../../core/api.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { useMay } from '../../../core/session.tsx'
import { GroupsHead } from './GroupsHead.tsx'
import { kindOfItem, usePushItems } from '../../../shared/device/commands/PushMenu.tsx'
import { wizardAddress } from '../../push-task/public.ts'
import { useConditionLabels } from '../../../shared/device-filters/conditions/condition-labels.tsx'

const DynamicGroupDrawer = lazy(() =>
  import('../../../shared/device-filters/conditions/WhereDrawer.tsx').then((m) => ({ default: m.DynamicGroupDrawer })),
)

/** As the address calls them, and the permission that they need. */
const dialogs = {
  dynamic_group_add: 'deviceList:group',
  dynamic_group_edit: 'deviceList:group',
  dynamic_group_delete: 'deviceList:group',
} as const satisfies Record<string, Permission>
type RowDialog = 'dynamic_group_edit' | 'dynamic_group_delete'
type Props = {
  selected: string | undefined
  /** Conditions of the list: what a new group begins with. */
  where: Where | undefined
  onSelect: (kid: string | null) => void
  /** The selected one is no more. */
  onDeselect: () => void
}

/** Below the tree of groups: what devices are in by what they are. Choosing one filters the list, again all. */
export function DynamicGroups({ selected, where, onSelect, onDeselect }: Props) {
  const { t } = useTranslation('device-filters')
  const may_edit = useMay('deviceList:group')
  // No event says that a device has come to meet a condition.
  const query = useCall(api.terminalDynamicGroup.list, { with_counts: true }, { refetchMs: 60_000 })
  const groups = query.data ?? []
  const dialog = useDialog(dialogs, groups)
  const [editing, deleting] = [dialog.of('dynamic_group_edit'), dialog.of('dynamic_group_delete')]
  if (groups.length === 0 && !may_edit && !query.error) return null
  return (
    <section className="dynamic-groups" aria-labelledby="dynamic-groups-title">
      <GroupsHead
        id="dynamic-groups-title"
        title={t('group.title')}
        add={t('group.add')}
        onAdd={() => dialog.open('dynamic_group_add')}
      />
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {groups.length === 0 && query.isSuccess && <p className="dim">{t('group.none')}</p>}
      <ul>
        {groups.map((group) => (
          <Row
            key={group.kid}
            group={group}
            is_selected={group.kid === selected}
            onSelect={() => onSelect(group.kid === selected ? null : group.kid)}
            may_edit={may_edit}
            onOpen={(kind) => dialog.open(kind, group)}
          />
        ))}
      </ul>
      {dialog.is('dynamic_group_add') && (
        <Suspense>
          <DynamicGroupDrawer where={where} onClose={dialog.close} />
        </Suspense>
      )}
      {editing && (
        <Suspense>
          <DynamicGroupDrawer group={editing} onClose={dialog.close} />
        </Suspense>
      )}
      {deleting && (
        <DeleteDialog
          group={deleting}
          onClose={dialog.close}
          onDeleted={() => selected === deleting.kid && onDeselect()}
        />
      )}
    </section>
  )
}

type RowProps = {
  group: TerminalDynamicGroup
  is_selected: boolean
  onSelect: () => void
  may_edit: boolean
  onOpen: (kind: RowDialog) => void
}
const push_prefix = 'push:'
function Row({ group, is_selected, may_edit, onSelect, onOpen }: RowProps) {
  const { t } = useTranslation(['device-filters', 'device'])
  const navigate = useNavigate()
  const pushes = usePushItems(push_prefix)
  const { sentence } = useConditionLabels()
  const format = useCount()
  const { name, count } = group
  return (
    <li data-selected={is_selected || undefined}>
      <button
        type="button"
        className="dynamic-group"
        aria-pressed={is_selected}
        title={sentence(group.where)}
        onClick={onSelect}
      >
        <span className="group-name">{name}</span>
        {count !== undefined && (
          <span className="group-count">
            {format(count)}
            {group.count_is_exact === false && '+'}
          </span>
        )}
      </button>
      {(may_edit || pushes.length > 0) && (
        <DropMenu
          menu={{
            items: [
              ...(pushes.length > 0
                ? [
                    { key: 'push', label: t('device:push.group'), children: pushes },
                    ...(may_edit ? [{ type: 'divider' as const }] : []),
                  ]
                : []),
              ...(may_edit
                ? [
                    { key: 'dynamic_group_edit', label: t('group.edit') },
                    { type: 'divider' as const },
                    { key: 'dynamic_group_delete', label: t('group.delete'), danger: true },
                  ]
                : []),
            ],
            onClick: ({ key }) => {
              if (!key.startsWith(push_prefix)) return onOpen(key as RowDialog)
              const type = kindOfItem(key, push_prefix)
              void navigate(wizardAddress({ type, terminal_dynamic_group_kid: group.kid }))
            },
          }}
        >
          <button type="button" className="icon-button group-menu" aria-label={t('group.actions', { name })}>
            <EllipsisOutlined aria-hidden />
          </button>
        </DropMenu>
      )}
    </li>
  )
}

type DeleteProps = { group: TerminalDynamicGroup; onClose: () => void; onDeleted: () => void }
function DeleteDialog({ group, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation('device-filters')
  return (
    <ConfirmWrite
      call={api.terminalDynamicGroup.delete}
      input={{ kid: group.kid }}
      done={t('group.deleted')}
      also={['terminal']}
      onDone={onDeleted}
      title={t('group.delete_title', { name: group.name })}
      submit={t('group.delete_submit')}
      onClose={onClose}
    >
      <p>{t('group.delete_what')}</p>
    </ConfirmWrite>
  )
}
