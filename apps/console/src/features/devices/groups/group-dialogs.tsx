import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { GroupPicker, useGroups } from '../../../shared/groups/GroupPicker.tsx'
import { flat } from '../../../shared/groups/group-tree.ts'
import type { GroupNode } from '../../../shared/groups/group-tree.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { useMoveDisabledReason } from './group-rules.ts'
import type { GroupDialogKind } from './group-rules.ts'

type Props = { kind: GroupDialogKind; node: GroupNode; onClose: () => void; onDeleted: (kid: string) => void }

export function GroupDialog({ kind, node, onClose, onDeleted }: Props) {
  if (kind === 'group_add') return <AddGroup parent_kid={node.kid} onClose={onClose} />
  if (kind === 'group_rename') return <RenameGroup node={node} onClose={onClose} />
  if (kind === 'group_move') return <MoveGroup node={node} onClose={onClose} />
  return <DeleteGroup node={node} onClose={onClose} onDeleted={onDeleted} />
}

export function AddGroup({ parent_kid, onClose }: { parent_kid: string; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const max = constants.group_depth
  const add = useWrite(api.terminalGroup.insert, { done: t('group.added') })
  return (
    <FormDrawer<{ name: string; parent_kid: string }>
      title={t('group.add_title')}
      submit={t('group.add_submit')}
      initial={{ name: '', parent_kid }}
      loading={add.isPending}
      submitError={add.error}
      onSubmit={(values) => add.mutateAsync(values)}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('group.name')} schema={api.terminalGroup.insert.input}>
        <Input autoFocus />
      </Field>
      <Field name="parent_kid" label={t('group.parent')}>
        <GroupPicker
          special={['ROOT']}
          disabled_reason={(node) => (node.depth >= max ? t('tree.too_deep', { max }) : undefined)}
        />
      </Field>
    </FormDrawer>
  )
}

function RenameGroup({ node, onClose }: { node: GroupNode; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const rename = useWrite(api.terminalGroup.update, { done: t('group.renamed'), also: ['terminal'] })
  return (
    <FormDrawer<{ name: string }>
      title={t('group.rename_title', { name: node.name })}
      submit={t('group.rename_submit')}
      initial={{ name: node.name }}
      loading={rename.isPending}
      submitError={rename.error}
      onSubmit={({ name }) => rename.mutateAsync({ kid: node.kid, name })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('group.name')} schema={api.terminalGroup.update.input}>
        <Input autoFocus />
      </Field>
    </FormDrawer>
  )
}

function MoveGroup({ node, onClose }: { node: GroupNode; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const disabled_reason = useMoveDisabledReason()
  const move = useWrite(api.terminalGroup.move, { done: t('group.moved'), also: ['terminal'] })
  return (
    <FormDrawer<{ target_parent_kid: string }>
      title={t('group.move_title', { name: node.name })}
      submit={t('group.move_submit')}
      initial={{}}
      loading={move.isPending}
      submitError={move.error}
      onSubmit={({ target_parent_kid }) => move.mutateAsync({ kid: node.kid, target_parent_kid })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="target_parent_kid" label={t('group.parent')} schema={api.terminalGroup.move.input}>
        <GroupPicker special={['ROOT']} disabled_reason={(to) => disabled_reason(node, to)} autoFocus />
      </Field>
    </FormDrawer>
  )
}

type DeleteProps = { node: GroupNode; onClose: () => void; onDeleted: (kid: string) => void }
function DeleteGroup({ node, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation(['devices', 'device'])
  const { tree } = useGroups()
  const parent = flat(tree).find(({ kid }) => kid === node.parent_kid)?.name
  const groups = node.children.length
  return (
    <ConfirmWrite
      call={api.terminalGroup.delete}
      input={{ kid: node.kid }}
      done={t('group.deleted')}
      also={['terminal']}
      onDone={() => onDeleted(node.kid)}
      title={t('group.delete_title', { name: node.name })}
      submit={t('group.delete_submit')}
      onClose={onClose}
    >
      {node.own_count > 0 && (
        <p>{t('group.delete_devices', { count: node.own_count, to: parent ?? t('device:group.none') })}</p>
      )}
      {groups > 0 && <p>{t('group.delete_groups', { count: groups, to: parent ?? t('device:group.root') })}</p>}
      {node.own_count === 0 && groups === 0 && <p>{t('group.delete_empty')}</p>}
    </ConfirmWrite>
  )
}
