import {
  CloudDownloadOutlined,
  DeleteOutlined,
  EditOutlined,
  FileOutlined,
  FolderOutlined,
  LinkOutlined,
} from '@ant-design/icons'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { DeviceFile } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { nameFault } from '../../../lib/file-names.ts'
import { Bytes, DateTime } from '../../../ui/value/values.tsx'
import { pathOf, visibleName } from './device-names.ts'
import { link } from '../../../core/links.ts'

const icons = {
  folder: <FolderOutlined aria-hidden />,
  file: <FileOutlined aria-hidden />,
  other: <LinkOutlined aria-hidden />,
}
const rank = { folder: 0, file: 1, other: 1 }
const order = new Intl.Collator(undefined, { numeric: true }).compare

type Props = {
  kid: string
  path: string
  files: readonly DeviceFile[]
  /** Why nothing can be done with them now. */
  offline: string | undefined
  selected: readonly string[]
  onSelect: (names: readonly string[]) => void
  onRename: (file: DeviceFile) => void
  onDelete: (file: DeviceFile) => void
}

/** One folder of a device. Folders come first, as people look for them. */
export function FileTable({ kid, path, files, offline, selected, onSelect, onRename, onDelete }: Props) {
  const { t } = useTranslation(['device-detail/files', 'common'])
  const fetchFile = useWrite(api.terminalFile.download, { done: t('fetch_begun') })
  const actionsOf = (file: DeviceFile): RowAction[] => {
    const name = visibleName(file.name)
    const disabled_reason = offline ?? (nameFault(file.name) ? t('name_unusable') : undefined)
    const fetch: RowAction = {
      icon: <CloudDownloadOutlined aria-hidden />,
      label: t('fetch_of', { name }),
      hint: t('fetch'),
      disabled_reason,
      onSelect: () => void fetchFile.run({ terminal_kid: kid, path: pathOf(path, file.name) }),
    }
    return [
      ...(file.type === 'file' ? [fetch] : []),
      {
        needs: 'deviceDetailFileManager:write',
        icon: <EditOutlined aria-hidden />,
        label: t('rename_of', { name }),
        hint: t('rename'),
        disabled_reason,
        onSelect: () => onRename(file),
      },
      {
        needs: 'deviceDetailFileManager:write',
        icon: <DeleteOutlined aria-hidden />,
        label: t('delete_of', { name }),
        hint: t('common:delete'),
        disabled_reason,
        onSelect: () => onDelete(file),
      },
    ]
  }
  return (
    <ListTable<DeviceFile>
      rowKey="name"
      rows={files.toSorted((a, b) => rank[a.type] - rank[b.type] || order(a.name, b.name))}
      columns={[
        { key: 'name', title: t('common:name'), render: (_, file) => <Name kid={kid} path={path} file={file} /> },
        { key: 'size', title: t('size'), align: 'right', render: (_, file) => <Bytes value={file.size} /> },
        { key: 'modified_at', title: t('modified_at'), render: (_, file) => <DateTime at={file.modified_at} /> },
      ]}
      rowSelection={{
        selectedRowKeys: [...selected],
        onChange: (keys) => onSelect(keys.map(String)),
        getTitleCheckboxProps: () => ({ 'aria-label': t('bulk.select_all') }),
        getCheckboxProps: ({ name, type }) => ({
          'aria-label': t('bulk.select_of', { name: visibleName(name) }),
          disabled: type === 'other' || nameFault(name) !== undefined,
        }),
      }}
      nameOf={({ name }) => visibleName(name)}
      rowActions={actionsOf}
    />
  )
}

function Name({ kid, path, file }: { kid: string; path: string; file: DeviceFile }) {
  const { t } = useTranslation('device-detail/files')
  const name = <bdi>{visibleName(file.name)}</bdi>
  const is_open = file.type === 'folder' && nameFault(file.name) === undefined
  return (
    <span className="device-file-name" title={file.type === 'other' ? t('other') : undefined}>
      <span className="dim" aria-hidden>
        {icons[file.type]}
      </span>{' '}
      {is_open ? (
        <Link to={link.deviceDetailFileManager.to({ kid, path: pathOf(path, file.name) })}>{name}</Link>
      ) : (
        name
      )}
    </span>
  )
}
