import { SearchOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { useGroups } from '../../../shared/groups/GroupPicker.tsx'
import { flat, search } from '../../../shared/groups/group-tree.ts'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { groupDialogs } from './group-rules.ts'
import { GroupsHead } from './GroupsHead.tsx'
import { GroupTree } from './GroupTree.tsx'

const GroupDialog = lazy(() => import('./group-dialogs.tsx').then((m) => ({ default: m.GroupDialog })))
const AddGroup = lazy(() => import('./group-dialogs.tsx').then((m) => ({ default: m.AddGroup })))

type Props = {
  selected: string | undefined
  onSelect: (kid: string | null) => void
  /** The selected one is no more. */
  onDeselect: () => void
  /** Below the tree. */
  children?: ReactNode
}

/** The groups beside the list: choosing one filters it. */
export function GroupAside({ selected, onSelect, onDeselect, children }: Props) {
  const { t } = useTranslation('devices')
  const { query, tree, no_group_count } = useGroups()
  const total = useCall(api.terminal.facets, {}).data?.total
  const [typed, setTyped] = useState('')
  const dialog = useDialog(groupDialogs, flat(tree))
  const shown = search(tree, typed)
  return (
    <div className="groups">
      <GroupsHead
        id="groups-title"
        title={t('tree.title')}
        add={t('tree.add')}
        onAdd={() => dialog.open('group_add')}
      />
      <Input
        size="small"
        type="search"
        allowClear
        maxLength={64}
        prefix={<SearchOutlined aria-hidden />}
        placeholder={t('tree.search')}
        aria-label={t('tree.search')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {query.error ? (
        <Failure error={query.error} retry={query.refetch} is_line />
      ) : (
        <GroupTree
          tree={shown}
          is_search={typed.trim() !== ''}
          total={total}
          no_group_count={no_group_count}
          selected={selected ?? 'ALL'}
          onSelect={(kid) => onSelect(kid === 'ALL' ? null : kid)}
          onOpen={dialog.open}
        />
      )}
      {typed.trim() && shown.length === 0 && <p className="dim">{t('tree.none_match')}</p>}
      {children}
      {dialog.is('group_add') && (
        <Suspense>
          <AddGroup parent_kid="ROOT" onClose={dialog.close} />
        </Suspense>
      )}
      {dialog.opened && (
        <Suspense>
          <GroupDialog
            kind={dialog.opened.kind}
            node={dialog.opened.row}
            onClose={dialog.close}
            onDeleted={(kid) => selected === kid && onDeselect()}
          />
        </Suspense>
      )}
    </div>
  )
}
