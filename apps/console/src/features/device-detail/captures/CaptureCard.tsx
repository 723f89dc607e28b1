import { DownloadOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFinal } from '@mdm/contract'
import type { PushTaskTerminal } from '@mdm/contract'
import { PushActions, PushStateBadge } from '../../push-task/public.ts'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import { dateParts } from '../../../ui/value/format.ts'
import { DateTime } from '../../../ui/value/values.tsx'
import { useZone } from '../../../core/session.tsx'
import { captureName } from '../../../shared/device/capture-name.ts'

/** One screenshot: the picture, or how far it is. */
export function CaptureCard({ row, onOpen }: { row: PushTaskTerminal; onOpen: () => void }) {
  const { t } = useTranslation('device-detail')
  const zone = useZone()
  const { reason } = usePushLabels()
  const [is_gone, setGone] = useState(false)
  // The picture is of the moment the device finished; until then only the moment of asking is known.
  const at = isFinal(row.state) ? row.state_at : row.created_at
  const time = dateParts(at, zone).join(' ')
  return (
    <li className="capture">
      {row.result_url && !is_gone ? (
        <button type="button" className="capture-frame" aria-label={t('capture.view', { time })} onClick={onOpen}>
          <img
            src={row.result_url}
            alt={t('capture.alt', { sn: row.name || row.sn, time })}
            loading="lazy"
            decoding="async"
            onError={() => setGone(true)}
          />
        </button>
      ) : (
        <div className="capture-frame" data-moving={!isFinal(row.state) || undefined}>
          <PushStateBadge type={row.type} state={row.state} since={row.state_at} cancel_asked={row.cancel_asked} />
          {row.state === 'failed' && <p className="failed-why">{reason(row)}</p>}
          {is_gone && <p className="dim">{t('capture.gone')}</p>}
        </div>
      )}
      <div className="capture-foot">
        <DateTime at={at} />
        {row.result_url && !is_gone ? (
          <a
            className="icon-button"
            href={row.result_url}
            download={captureName(row, zone)}
            aria-label={`${t('capture.download')}: ${time}`}
            title={t('capture.download')}
          >
            <DownloadOutlined aria-hidden />
          </a>
        ) : (
          row.state !== 'completed' && <PushActions row={row} />
        )}
      </div>
    </li>
  )
}
