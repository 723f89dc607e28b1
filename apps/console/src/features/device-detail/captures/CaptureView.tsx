import { DownloadOutlined, LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { PushTaskTerminal } from '@mdm/contract'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { dateParts } from '../../../ui/value/format.ts'
import { useZone } from '../../../core/session.tsx'
import { captureName } from '../../../shared/device/capture-name.ts'

type Props = {
  rows: readonly PushTaskTerminal[]
  row: PushTaskTerminal
  onOpen: (row: PushTaskTerminal) => void
  onClose: () => void
}

/** One screenshot as large as fits; arrow keys walk to its neighbours. */
export function CaptureView({ rows, row, onOpen, onClose }: Props) {
  const { t } = useTranslation('device-detail')
  const zone = useZone()
  const at = rows.indexOf(row)
  const before = rows[at - 1]
  const after = rows[at + 1]
  useEffect(() => {
    const keyed = (event: KeyboardEvent) => {
      const to = event.key === 'ArrowLeft' ? before : event.key === 'ArrowRight' ? after : undefined
      if (to) onOpen(to)
    }
    addEventListener('keydown', keyed)
    return () => removeEventListener('keydown', keyed)
  }, [before, after, onOpen])
  const time = dateParts(row.state_at, zone).join(' ')
  const url = row.result_url ?? ''
  return (
    <Dialog
      centered
      width="min(92vw, 1100px)"
      className="capture-view"
      title={time}
      onCancel={onClose}
      footer={
        <>
          <Button
            icon={<LeftOutlined aria-hidden />}
            aria-label={t('capture.previous')}
            disabled={!before}
            onClick={() => before && onOpen(before)}
          />
          <Button
            icon={<RightOutlined aria-hidden />}
            aria-label={t('capture.next')}
            disabled={!after}
            onClick={() => after && onOpen(after)}
          />
          <Button type="primary" icon={<DownloadOutlined aria-hidden />} href={url} download={captureName(row, zone)}>
            {t('capture.download')}
          </Button>
        </>
      }
    >
      <img src={url} alt={t('capture.alt', { sn: row.name || row.sn, time })} />
    </Dialog>
  )
}
