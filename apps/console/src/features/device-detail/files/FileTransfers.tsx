import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Transfers } from './Transfers.tsx'

const step = 10
const most = 200

/** What was fetched from the device and sent to it, newest first. */
export function FileTransfers({ kid }: { kid: string }) {
  const { t } = useTranslation('device-detail/files')
  const [page_size, setSize] = useState(step)
  const query = useCall(
    api.terminalFile.paging,
    { terminal_kid: kid, page_size },
    { enabled: kid !== '', keepPrevious: true },
  )
  const stop = useWrite(api.terminalFile.cancel, { done: t('transfers.stopped') })
  const rows = query.data?.items ?? []
  return (
    <section className="device-part" aria-label={t('transfers.title')}>
      <div className="device-part-head">
        <h2>{t('transfers.title')}</h2>
        <span className="dim">{t('transfers.hint', { days: constants.device_file_cache_days })}</span>
      </div>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.data && rows.length === 0 && <p className="dim">{t('transfers.empty')}</p>}
      {rows.length > 0 && (
        <Transfers
          rows={rows}
          label={t('transfers.title')}
          has_kind
          onStop={(row) => void stop.run({ kid: row.kid })}
        />
      )}
      {query.data && query.data.total > rows.length && page_size < most && (
        <p className="captures-more">
          <Button loading={query.isFetching} onClick={() => setSize(Math.min(most, page_size + step))}>
            {t('transfers.more')}
          </Button>
        </p>
      )}
    </section>
  )
}
