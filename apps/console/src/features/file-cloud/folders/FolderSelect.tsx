import { TreeSelect } from 'antd'
import { useTranslation } from 'react-i18next'
import type { CloudFolder } from '@mdm/contract'
import { useCall } from '../../../core/api.ts'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'

/** Stands for the top in a tree of folders, whose entries all have a value. */
const top = 'top'
type Entry = { value: string; title: string; disabled?: boolean; children: Entry[] }

type Props = {
  side: FileSide
  id?: string
  value?: string | null
  onChange?: (folder_kid: string | null) => void
  /** Folders that cannot be chosen, nor what is in them. */
  without?: readonly string[]
}
/** The control of a form's field: one of the account's folders, or the top. */
export function FolderSelect({ side, value = null, onChange, without = [], id }: Props) {
  const { t } = useTranslation('file-cloud')
  const query = useCall(fileSides[side].calls.list_folder, {})
  const tree: Entry[] = [
    { value: top, title: t('folder.top'), children: entriesOf(query.data ?? [], null, new Set(without), false) },
  ]
  return (
    <TreeSelect
      {...(id !== undefined && { id })}
      treeData={tree}
      value={value ?? top}
      onChange={(chosen: string) => onChange?.(chosen === top ? null : chosen)}
      treeDefaultExpandedKeys={[top, ...(value ? [value] : [])]}
      loading={query.isPending}
      status={query.error ? 'error' : ''}
      showSearch={{ treeNodeFilterProp: 'title' }}
    />
  )
}

function entriesOf(
  folders: readonly CloudFolder[],
  parent_kid: string | null,
  without: ReadonlySet<string>,
  is_without: boolean,
): Entry[] {
  return folders
    .filter((folder) => folder.parent_kid === parent_kid)
    .map(({ kid, name }) => {
      const disabled = is_without || without.has(kid)
      return { value: kid, title: name, disabled, children: entriesOf(folders, kid, without, disabled) }
    })
}
