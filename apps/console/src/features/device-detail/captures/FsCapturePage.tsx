import { CameraOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFinal } from '@mdm/contract'
import type { PushTaskTerminal } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useInability } from '../../../shared/device/inability.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { Refresh } from '../../../ui/list/ListTools.tsx'
import { useOpened } from '../../../ui/dialog/use-opened.ts'
import { May } from '../../../core/session.tsx'
import { CaptureCard } from './CaptureCard.tsx'
import { CaptureView } from './CaptureView.tsx'
import { useDevice } from '../use-device.ts'

const step = 24
const most = 200

export default function FsCapturePage() {
  const { t } = useTranslation('device-detail')
  const { kid, device } = useDevice()
  const [page_size, setSize] = useState(step)
  const { opened: opened_kid, open } = useOpened()
  const query = useCall(
    api.pushTask.paging_terminal,
    { terminal_kid: kid, types: ['screenshot'], page_size, sort: 'created_at', order: 'desc' },
    { enabled: kid !== '', keepPrevious: true },
  )
  const take = useWrite(api.pushTask.insert, { done: t('capture.taken') })
  const rows: readonly PushTaskTerminal[] = query.data?.items ?? []
  const pictures = rows.filter((row) => row.result_url !== null)
  const opened = pictures.find((row) => row.push_task_kid === opened_kid)
  const inability = useInability()
  const disabled_reason =
    (device && inability([device], 'screenshot')) ??
    (rows.some((row) => !isFinal(row.state)) ? t('capture.wait') : undefined)
  const button = (
    <May needs="deviceDetailFsCapture:capture">
      <DisabledReason disabled_reason={disabled_reason}>
        <Button
          type="primary"
          icon={<CameraOutlined aria-hidden />}
          disabled={disabled_reason !== undefined}
          loading={take.isPending}
          onClick={() => void take.run({ terminal_kids: [kid], type: 'screenshot', payload: {} })}
        >
          {t('capture.take')}
        </Button>
      </DisabledReason>
    </May>
  )
  return (
    <section aria-label={t('capture.title')}>
      <div className="list-tools" role="toolbar" aria-label={t('capture.title')}>
        <Refresh query={query} />
        {device && !device.is_online && <span className="warn">{t('capture.empty_offline')}</span>}
        <span className="list-tools-end">{button}</span>
      </div>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 8 }} />}
      {query.error && <Failure error={query.error} retry={query.refetch} is_line={rows.length > 0} />}
      {query.data && rows.length === 0 && <Empty title={t('capture.empty')} hint={t('capture.empty_hint')} />}
      <ul className="captures">
        {rows.map((row) => (
          <CaptureCard key={row.push_task_kid} row={row} onOpen={() => open(row.push_task_kid)} />
        ))}
      </ul>
      {query.data && query.data.total > rows.length && page_size < most && (
        <p className="captures-more">
          <Button loading={query.isFetching} onClick={() => setSize(Math.min(most, page_size + step))}>
            {t('capture.more')}
          </Button>
        </p>
      )}
      {opened && (
        <CaptureView
          rows={pictures}
          row={opened}
          onOpen={(row) => open(row.push_task_kid)}
          onClose={() => open(null)}
        />
      )}
    </section>
  )
}
