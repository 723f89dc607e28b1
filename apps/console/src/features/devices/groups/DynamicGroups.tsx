import { EllipsisOutlined } from '@ant-design/icons'
import { Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TerminalDynamicGroup, Where } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { ConfirmDanger } from '../../../ui/dialog/ConfirmDanger.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { useMay } from '../../../core/session.tsx'
import { GroupsHead } from './GroupsHead.tsx'
import { useConditionLabels } from '../conditions/condition-labels.tsx'

const DynamicGroupDrawer = lazy(() =>
  import('../conditions/WhereDrawer.tsx').then((m) => ({ default: m.DynamicGroupDrawer })),
)

type Wanted = { what: 'add' } | { what: 'edit' | 'delete'; group: TerminalDynamicGroup }
type Props = {
  selected: string | undefined
  /** Conditions of the list: what a new group begins with. */
  where: Where | undefined
  onSelect: (kid: string | null) => void
}

/** Below the tree of groups: what devices are in by what they are. Choosing one filters the list, again all. */
export function DynamicGroups({ selected, where, onSelect }: Props) {
  const { t } = useTranslation('device-filters')
  const may_edit = useMay('deviceList:group')
  // No event says that a device has come to meet a condition.
  const query = useCall(api.terminalDynamicGroup.list, { with_counts: true }, { refetchMs: 60_000 })
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const groups = query.data ?? []
  if (groups.length === 0 && !may_edit && !query.error) return null
  const close = () => setWanted(null)
  return (
    <section className="dynamic-groups" aria-labelledby="dynamic-groups-title">
      <GroupsHead
        id="dynamic-groups-title"
        title={t('group.title')}
        add={t('group.add')}
        onAdd={() => setWanted({ what: 'add' })}
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
            onWant={may_edit ? (what) => setWanted({ what, group }) : undefined}
          />
        ))}
      </ul>
      {wanted && wanted.what !== 'delete' && (
        <Suspense>
          <DynamicGroupDrawer {...(wanted.what === 'edit' ? { group: wanted.group } : { where })} onClose={close} />
        </Suspense>
      )}
      {wanted?.what === 'delete' && (
        <DeleteDialog
          group={wanted.group}
          onClose={close}
          onDeleted={() => selected === wanted.group.kid && onSelect(null)}
        />
      )}
    </section>
  )
}

type RowProps = {
  group: TerminalDynamicGroup
  is_selected: boolean
  onSelect: () => void
  onWant: ((what: 'edit' | 'delete') => void) | undefined
}
function Row({ group, is_selected, onSelect, onWant }: RowProps) {
  const { t } = useTranslation('device-filters')
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
      {onWant && (
        <Dropdown
          autoFocus
          trigger={['click']}
          menu={{
            items: [
              { key: 'edit', label: t('group.edit') },
              { type: 'divider' },
              { key: 'delete', label: t('group.delete'), danger: true },
            ],
            onClick: ({ key }) => onWant(key as 'edit' | 'delete'),
          }}
        >
          <button type="button" className="icon-button group-menu" aria-label={t('group.actions', { name })}>
            <EllipsisOutlined aria-hidden />
          </button>
        </Dropdown>
      )}
    </li>
  )
}

type DeleteProps = { group: TerminalDynamicGroup; onClose: () => void; onDeleted: () => void }
function DeleteDialog({ group, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation('device-filters')
  const remove = useWrite(api.terminalDynamicGroup.delete, { done: t('group.deleted'), also: ['terminal'] })
  return (
    <ConfirmDanger
      title={t('group.delete_title', { name: group.name })}
      submit={t('group.delete_submit')}
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={async () => {
        await remove.mutateAsync({ kid: group.kid })
        onDeleted()
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('group.delete_what')}</p>
    </ConfirmDanger>
  )
}
