import { FileOutlined, FolderFilled } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { CloudFile } from '@mdm/contract'
import { fileOrigins } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Bytes, Code, CopyId, Dash, DateTime, Unit } from '../../ui/value/values.tsx'
import { fileSides } from './sides.ts'
import type { FileSide } from './sides.ts'

export function useFileFilters(side: FileSide): Filter[] {
  const { t } = useTranslation('file-cloud')
  const origin: Filter = {
    key: 'origin',
    kind: 'one',
    label: t('column.origin'),
    options: fileOrigins.map((value) => ({ value, label: t(`origin.${value}`) })),
  }
  const visible: Filter = {
    key: 'is_visible',
    kind: 'yes_no',
    label: t('visible.label'),
    yes: t('visible.yes'),
    no: t('visible.no'),
  }
  const broken: Filter = {
    key: 'is_broken',
    kind: 'yes_no',
    label: t('broken.badge'),
    yes: t('broken.only'),
    no: t('broken.sound'),
  }
  return [...(side === 'account' ? [origin] : []), visible, broken]
}

/** `is_found`: rows of several folders, so each says where it is. */
type Shown = { is_found: boolean; onPreview: (file: CloudFile) => void }
export function useFileColumns(side: FileSide, { is_found, onPreview }: Shown): Column<CloudFile>[] {
  const { t } = useTranslation(['file-cloud', 'common'])
  const count = useCount()
  const may_see_pushes = useMay('fileCloudPush')
  const { links } = fileSides[side]
  const pushes: Column<CloudFile> = {
    key: 'push_count',
    title: t('column.pushes'),
    align: 'right',
    render: (_, row) => {
      if (row.is_folder || row.origin === 'platform') return <Dash />
      if (row.push_count === 0) return <span className="dim">0</span>
      if (!may_see_pushes) return <Unit value={count(row.push_count)} unit="" />
      return (
        <Link className="number" to={link.fileCloudPush.to({ text: row.name.slice(0, 100) })}>
          {count(row.push_count)}
        </Link>
      )
    },
  }
  return [
    {
      key: 'name',
      title: t('common:name'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <span className="file-cell">
          {row.is_folder ? <FolderFilled aria-hidden /> : <FileOutlined aria-hidden />}
          <span>
            {row.is_folder ? (
              <Link
                className="file-name"
                to={links.list.to({ folder_kid: row.kid })}
                title={row.name}
                aria-label={t('folder.open', { name: row.name })}
              >
                {row.name}
              </Link>
            ) : (
              <button
                type="button"
                className="link file-name"
                title={row.name}
                aria-label={t('preview.open', { name: row.name })}
                onClick={() => onPreview(row)}
              >
                {row.name}
              </button>
            )}
            {is_found && row.path !== '' && <span className="file-path dim">{row.path}</span>}
          </span>
          {row.is_broken && <StateBadge tone="bad">{t('broken.badge')}</StateBadge>}
          {side === 'account' && row.origin === 'platform' && (
            <StateBadge tone="accent">{t('origin.platform')}</StateBadge>
          )}
        </span>
      ),
    },
    { key: 'path', title: t('folder.in'), is_hidden: true, render: (_, row) => row.path },
    {
      key: 'size',
      title: t('column.size'),
      sorter: true,
      export: { title: t('common:list.export_unit', { name: t('column.size'), unit: 'B' }) },
      align: 'right',
      render: (_, row) => (row.is_folder ? <Dash /> : <Bytes value={row.size} />),
    },
    {
      key: 'is_visible',
      title: t('visible.column'),
      export: { labels: { true: t('visible.yes'), false: t('visible.no') } },
      render: (_, row) => (row.is_visible ? t('visible.yes') : <StateBadge tone="quiet">{t('visible.no')}</StateBadge>),
    },
    {
      key: 'device_path',
      title: t('folder.on_devices'),
      is_hidden: true,
      render: (_, row) => <Code value={row.device_path} />,
    },
    {
      key: 'md5',
      title: t('column.md5'),
      is_hidden: true,
      render: (_, row) => <CopyId value={row.md5} short={8} />,
    },
    {
      key: 'sha256',
      title: t('column.sha256'),
      render: (_, row) => <CopyId value={row.sha256} short={8} />,
    },
    { key: 'content_type', title: t('column.content_type'), is_hidden: true, dataIndex: 'content_type' },
    ...(side === 'account' ? [pushes] : []),
    { key: 'created_by', title: t('column.created_by'), render: (_, row) => row.created_by },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
}
