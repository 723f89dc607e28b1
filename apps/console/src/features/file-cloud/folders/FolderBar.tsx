import { FolderOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCall } from '../../../core/api.ts'
import { SpaceUse } from '../../../shared/accounts/cells.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'

/** Where in the folders the list stands, and how much of the space is used. */
export function FolderBar({ side, folder_kid }: { side: FileSide; folder_kid: string | undefined }) {
  const { t } = useTranslation('file-cloud')
  const { calls, links } = fileSides[side]
  const folder = useCall(calls.get, { kid: folder_kid ?? '' }, { enabled: folder_kid !== undefined })
  const space = useCall(calls.get_space, {})
  const chain = folder.data ? [...folder.data.folders, folder.data] : []
  const used = space.data && space.data.used + space.data.arriving
  return (
    <div className="folder-bar">
      <nav aria-label={t('folder.path')}>
        <ol>
          <li>
            <Link to={links.list.to()} aria-current={folder_kid === undefined ? 'location' : undefined}>
              <FolderOutlined aria-hidden /> {t('folder.top')}
            </Link>
          </li>
          {chain.map(({ kid, name }) => (
            <li key={kid}>
              <Link to={links.list.to({ folder_kid: kid })} aria-current={kid === folder_kid ? 'location' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ol>
        {folder.error && <Failure error={folder.error} is_line />}
        {folder.data && (
          <span className="dim">
            {t('folder.on_devices')} <code>{folder.data.device_path}</code>
          </span>
        )}
      </nav>
      {space.data && space.data.broken_count > 0 && (
        <p className="folder-broken" role="alert">
          {t('broken.notice', { count: space.data.broken_count })}{' '}
          <Link to={links.list.to({ is_broken: true })}>{t('broken.show')}</Link>
        </p>
      )}
      {side === 'account' && space.data && used !== undefined && (
        <SpaceUse label={t('space.label')} used={used} space={space.data.disk_space} />
      )}
    </div>
  )
}
