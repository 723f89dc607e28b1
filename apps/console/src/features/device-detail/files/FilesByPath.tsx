import { DownloadOutlined, UploadOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TerminalDetail } from '@mdm/contract'
import { May } from '../../../core/session.tsx'
import { filesChosen } from '../../../shared/upload/folder-drop.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { FileButton } from '../../../ui/form/FileButton.tsx'
import { useManyFiles } from './many-files.ts'

const path_max = 4000

/** Files of a device whose agent transfers them, but lists no folders: the path is typed. */
export function FilesByPath({ device: { kid, sn, is_online } }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-detail/files')
  const [path, setPath] = useState('')
  const at = path.lastIndexOf('/')
  const file = { name: path.slice(at + 1), type: 'file' as const, size: null, modified_at: null }
  const from = useManyFiles({ kid, path: path.slice(0, at) || '/', sn, files: [] })
  const into = useManyFiles({ kid, path, sn, files: [] })
  const disabled_reason = is_online ? (path.startsWith('/') ? undefined : t('by_path.needed')) : t('offline')
  const no_download = disabled_reason ?? (file.name === '' ? t('by_path.folder') : undefined)
  const put = (files: readonly File[]) => void into.put(filesChosen(files), [])
  return (
    <section aria-label={t('title')} className="device-files">
      <p className="dim">{t('by_path.hint')}</p>
      <div className="list-tools" role="toolbar" aria-label={t('title')}>
        <Input
          aria-label={t('by_path.label')}
          placeholder="/var/log/syslog"
          value={path}
          maxLength={path_max}
          onChange={(event) => setPath(event.target.value.trim())}
        />
        <span className="list-tools-end">
          <DisabledReason disabled_reason={no_download}>
            <Button
              icon={<DownloadOutlined aria-hidden />}
              disabled={no_download !== undefined}
              onClick={() => from.download([file])}
            >
              {t('by_path.download')}
            </Button>
          </DisabledReason>
          <May needs="deviceDetailFileManager:write">
            <FileButton
              label={t('by_path.upload')}
              icon={<UploadOutlined aria-hidden />}
              look="primary"
              disabled_reason={disabled_reason}
              onChoose={(one) => put([one])}
              onChooseMany={put}
            />
          </May>
        </span>
      </div>
    </section>
  )
}
