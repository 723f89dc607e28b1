import { DownloadOutlined, SendOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { link } from '../../core/links.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { fileSides } from './sides.ts'
import type { FileSide } from './sides.ts'

/** Signed addresses live an hour; an older row is read again before its file is fetched. */
const url_lives_ms = 50 * 60_000

/** Where a push puts it first: a folder is pushed by its name into the folder that its place on devices is in. */
export const placeToPush = ({ is_folder, device_path }: CloudFile): string =>
  is_folder ? device_path.replace(/\/[^/]+\/*$/, '') || '/' : device_path

type Rows = {
  side: FileSide
  read_at: number
  reread: () => unknown
  open: (dialog: 'delete' | 'move' | 'copy', file: CloudFile) => void
}
export function useRowActions({ side, read_at, reread, open }: Rows): (file: CloudFile) => RowAction[] {
  const { t } = useTranslation(['file-cloud', 'common'])
  const { needs, links } = fileSides[side]
  const fetchFile = (event: React.MouseEvent<HTMLAnchorElement>) => {
    if (Date.now() - read_at < url_lives_ms) return
    event.preventDefault()
    const anchor = event.currentTarget
    void Promise.resolve(reread()).then(() => anchor.click())
  }
  return (row) => {
    const { name, kid, url } = row
    const disabled_reason = row.origin === 'platform' ? t('why_not.platform') : undefined
    const download = t('download_file', { name })
    const ofFile: RowAction[] = url
      ? [
          {
            label: download,
            own: (
              <a href={url} download={name} onClick={fetchFile} aria-label={download} title={t('download')}>
                <DownloadOutlined aria-hidden />
              </a>
            ),
          },
        ]
      : []
    const push: RowAction[] =
      side === 'account'
        ? [
            {
              needs: 'fileCloudPush:push',
              icon: <SendOutlined aria-hidden />,
              label: t('push_file', { name }),
              hint: t('push_short'),
              disabled_reason: row.is_broken ? t('why_not.broken') : undefined,
              to: link.fileCloudPush.to({ file: kid, path: placeToPush(row) }),
            },
          ]
        : []
    return [
      ...ofFile,
      ...push,
      { needs: needs.edit, label: t('common:edit'), disabled_reason, to: links.edit.to({ kid }) },
      { needs: needs.edit, label: t('move.action'), disabled_reason, onSelect: () => open('move', row) },
      { needs: needs.add, label: t('copy.action'), onSelect: () => open('copy', row) },
      {
        needs: needs.delete,
        label: t('common:delete'),
        disabled_reason,
        danger: true,
        onSelect: () => open('delete', row),
      },
    ]
  }
}
