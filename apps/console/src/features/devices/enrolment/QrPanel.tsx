import { CheckCircleFilled, LoadingOutlined } from '@ant-design/icons'
import { Button, QRCode, Skeleton } from 'antd'
import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { constants } from '@mdm/contract'
import type { LiveEvent, Out } from '@mdm/contract'
import { api, invalidate, useCall, useWrite } from '../../../core/api.ts'
import { useLive } from '../../../core/live.ts'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import type { PanelProps } from './kinds.tsx'
import { OutOfReach } from './OutOfReach.tsx'
import { CodeBlock } from '../../../ui/value/CodeBlock.tsx'
import { minutesText, useSecondsLeft } from '../../../ui/value/countdown.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { link } from '../../../core/links.ts'

type Code = Out<typeof api.terminal.qrcode_registered_cache> & { ends_at: number }

/** Of a code that leads to a page instead of telling an agent where to register. */
type Page = { hint: string; addressOf: (content: string) => string; noteOf: (address: string) => string | undefined }

/** A one-time QR code: renews itself while someone looks, says who came through it. */
export function QrPanel({ group, onGroup, onClose, hint, addressOf, noteOf }: PanelProps & Partial<Page>) {
  const { t } = useTranslation('devices')
  const [code, setCode] = useState<Code | null>(null)
  const make = useWrite(api.terminal.qrcode_registered_cache, {
    // The life of a code is counted from its arrival: the clock of this computer may be wrong.
    onSuccess: (made) => setCode({ ...made, ends_at: performance.now() + constants.qrcode_minutes * 60_000 }),
  })
  const { mutate } = make
  const kid = code?.qrcode_kid
  const renew = useCallback(
    (terminal_group_kid: string, qrcode_kid?: string) =>
      mutate({ terminal_group_kid, ...(qrcode_kid && { qrcode_kid }) }),
    [mutate],
  )
  // Once, on opening; everything later goes through `renew`.
  const [first] = useState(group)
  useEffect(() => renew(first), [renew, first])

  const scan = useCall(
    api.terminal.get_scan_result,
    { qrcode_kid: kid ?? '' },
    { enabled: kid !== undefined, refetchMs: 2_000 },
  )
  const onRegistered = useCallback(
    (event: Extract<LiveEvent, { type: 'terminal_registered' }>) => {
      if (event.qrcode_kid === kid) void invalidate('terminal', 'get_scan_result')
    },
    [kid],
  )
  useLive('terminal_registered', onRegistered)
  const result = kid === undefined ? undefined : scan.data
  useEffect(() => {
    if (result?.state !== 'registered') return
    for (const wire of ['terminal', 'terminal_group', 'account']) void invalidate(wire)
  }, [result?.state])

  const left = useSecondsLeft(code?.ends_at)
  const is_over = code !== null && (left === 0 || result?.state === 'expired')
  const ended = useEffectEvent(() => {
    if (!document.hidden && result?.state !== 'registered') renew(group, kid)
  })
  useEffect(() => {
    if (is_over) ended()
  }, [is_over])

  if (result?.state === 'registered' && result.sn && result.terminal_kid) {
    return <Registered kid={result.terminal_kid} sn={result.sn} onOpened={onClose} onAnother={() => renew(group)} />
  }
  const content = code ? (addressOf?.(code.content) ?? code.content) : ''
  const note = content === '' ? undefined : noteOf?.(content)
  const choose = (next: string) => {
    onGroup(next)
    renew(next, kid)
  }
  return (
    <div className="qr">
      <p className="dim">{hint ?? t('qr.hint')}</p>
      <div className="qr-code">
        {code ? (
          <QRCode
            value={content}
            size={248}
            color="#000"
            bgColor="#fff"
            bordered={false}
            aria-label={t('qr.label')}
            status={is_over ? 'expired' : make.isPending ? 'loading' : 'active'}
            onRefresh={() => renew(group, kid)}
          />
        ) : (
          !make.error && <Skeleton.Node active style={{ width: 248, height: 248 }} />
        )}
      </div>
      {content !== '' && <OutOfReach address={content} />}
      {addressOf && content !== '' && <CodeBlock label={t('qr.address')} text={content} />}
      {note !== undefined && <p className="dim">{note}</p>}
      {make.error && <Failure error={make.error} retry={() => renew(group, kid)} is_line />}
      {code && (
        <p className="qr-state" role="status">
          {is_over ? t('qr.expired') : <Waiting />}
        </p>
      )}
      <div className="qr-tools">
        <span className="number">{code && !is_over && t('qr.left', { time: minutesText(left) })}</span>
        <Button size="small" loading={make.isPending} onClick={() => renew(group, kid)}>
          {t('qr.renew')}
        </Button>
      </div>
      <label className="qr-group">
        <span>{t('register.group')}</span>
        <GroupPicker special={['NO_GROUP']} value={group} onChange={choose} />
      </label>
    </div>
  )
}

function Waiting() {
  const { t } = useTranslation('devices')
  return (
    <>
      <LoadingOutlined spin aria-hidden /> {t('qr.waiting')}
    </>
  )
}

type RegisteredProps = { kid: string; sn: string; onOpened: () => void; onAnother: () => void }
function Registered({ kid, sn, onOpened, onAnother }: RegisteredProps) {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  return (
    <div className="qr-done" role="status">
      <CheckCircleFilled aria-hidden />
      <h2>{t('register.done', { sn })}</h2>
      <p className="dim">{t('qr.done_hint')}</p>
      <div className="qr-done-actions">
        <Button
          type="primary"
          autoFocus
          onClick={() => {
            onOpened()
            void navigate(link.deviceDetailInfo.to({ kid }))
          }}
        >
          {t('qr.open')}
        </Button>
        <Button onClick={onAnother}>{t('qr.another')}</Button>
      </div>
    </div>
  )
}
