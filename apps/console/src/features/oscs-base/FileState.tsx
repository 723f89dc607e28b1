import { DownloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OscsFile } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import type { api } from '../../core/api.ts'
import { startDownload } from '../../core/start-download.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { Bytes } from '../../ui/value/values.tsx'
import './oscs-base.css'

const tones: Record<OscsFile['state'], Tone> = { checking: 'moving', ready: 'good', failed: 'bad' }

type Download = typeof api.opsOscsModel.download_file | typeof api.opsOscsBase.download_file

/** A package: what it is called, how large it is and whether it was found to be one. Its name downloads it. */
export function FileState({ of, by }: { of: OscsFile; by: Download }) {
  const { t } = useTranslation('oscs-base')
  const download = useWrite(by, { onSuccess: startDownload })
  return (
    <span className="oscs-file" title={`SHA-256 ${of.sha256}`}>
      <span className="oscs-file-name">
        <Button
          type="link"
          size="small"
          icon={<DownloadOutlined aria-hidden />}
          title={t('file.download', { name: of.file_name })}
          loading={download.isPending}
          onClick={() => void download.run({ kid: of.kid })}
        >
          {of.file_name}
        </Button>{' '}
        <Bytes value={of.size} />
      </span>
      <StateBadge tone={tones[of.state]}>{t(`file.${of.state}`)}</StateBadge>
      {of.fault && <span className="oscs-fault">{of.fault}</span>}
    </span>
  )
}
