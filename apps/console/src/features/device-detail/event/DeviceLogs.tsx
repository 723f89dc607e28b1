import { FileTextOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useInability } from '../../../shared/device/inability.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Transfers } from '../files/Transfers.tsx'
import { useDevice } from '../use-device.ts'

const shown = 10

/** Logs that were fetched from the device, and the button that fetches one. */
export function DeviceLogs() {
  const { t } = useTranslation('device-detail/files')
  const { kid, device } = useDevice()
  const query = useCall(
    api.terminalLog.paging,
    { terminal_kid: kid, page_size: shown },
    { enabled: kid !== '', keepPrevious: true },
  )
  const ask = useWrite(api.terminalLog.ask, { done: t('log.asked') })
  const rows = query.data?.items ?? []
  const is_moving = rows.some(({ state }) => state === 'running')
  const inability = useInability()
  const disabled_reason =
    (device && inability([device], 'remote_log')) ??
    (device && !device.is_online ? t('offline') : is_moving ? t('log.running') : undefined)
  return (
    <section className="device-part" aria-label={t('log.title')}>
      <div className="device-part-head">
        <h2>{t('log.title')}</h2>
        <span className="dim">{t('log.hint')}</span>
        <DisabledReason disabled_reason={disabled_reason}>
          <Button
            icon={<FileTextOutlined aria-hidden />}
            disabled={disabled_reason !== undefined}
            loading={ask.isPending}
            onClick={() => void ask.run({ terminal_kid: kid })}
          >
            {t('log.ask')}
          </Button>
        </DisabledReason>
      </div>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.data && rows.length === 0 && <p className="dim">{t('log.empty')}</p>}
      {rows.length > 0 && <Transfers rows={rows} label={t('log.title')} />}
    </section>
  )
}
