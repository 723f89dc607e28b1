import { DownloadOutlined, PauseOutlined, CaretRightOutlined } from '@ant-design/icons'
import { Button, Checkbox, Input } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { saveText } from '../../../core/save-blob.ts'
import { useZone } from '../../../core/session.tsx'
import { captureName } from '../../../shared/device/capture-name.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../../ui/value/format.ts'
import type { RemoteDevice } from '../use-remote-device.ts'
import { LogLines, most_lines } from './log-lines.ts'
import { LogView } from './LogView.tsx'
import { Frame } from './Frame.tsx'
import { Refusal } from './Refusal.tsx'
import { StatusLine } from './StatusLine.tsx'
import { isOver } from './status.ts'
import { TimeLeft } from './TimeLeft.tsx'
import type { Wanted } from './use-connection.ts'
import { useSession } from './use-session.ts'

type Props = { device: RemoteDevice; wanted: Wanted; onAgain: () => void; onBack: () => void }
/** Rendering follows the lines, not every piece of them. */
const render_every_ms = 120

/** The log of a device as it is written. */
export function LogPart({ device, wanted, onAgain, onBack }: Props) {
  const { t } = useTranslation('remote')
  const zone = useZone()
  const count = useCount()
  const { now, end } = useSession(wanted, device.is_online)
  const [lines] = useState(() => new LogLines())
  const [filter, setFilter] = useState('')
  const [view, setView] = useState(() => lines.view())
  const [is_paused, setPaused] = useState(false)
  const [is_wrapped, setWrapped] = useState(false)
  const [is_following, setFollowing] = useState(true)
  const show = useEffectEvent(() => setView(lines.view(filter)))
  const { channel } = now
  useEffect(() => {
    if (!channel) return
    let timer: ReturnType<typeof setTimeout> | undefined
    channel.onmessage = ({ data }) => {
      lines.take(data)
      timer ??= setTimeout(() => {
        timer = undefined
        show()
      }, render_every_ms)
    }
    channel.begin()
    return () => {
      channel.onmessage = null
      clearTimeout(timer)
      show()
    }
  }, [channel, lines])
  const pause = () => {
    if (is_paused) lines.resume()
    else lines.pause()
    setPaused(!is_paused)
    setView(lines.view(filter))
  }
  const save = () =>
    saveText(
      captureName({ sn: device.sn, state_at: new Date().toISOString() }, zone, 'log'),
      `${view.lines.join('\n')}\n`,
    )
  if (isOver(now.status) && view.lines.length === 0)
    return <Refusal status={now.status} onAgain={onAgain} onBack={onBack} />
  return (
    <Frame>
      <div className="remote-tools" role="toolbar" aria-label={t('tools')}>
        <Input.Search
          allowClear
          className="list-search"
          placeholder={t('log.filter')}
          aria-label={t('log.filter')}
          value={filter}
          onChange={({ target }) => {
            setFilter(target.value)
            setView(lines.view(target.value))
          }}
        />
        <Button icon={is_paused ? <CaretRightOutlined aria-hidden /> : <PauseOutlined aria-hidden />} onClick={pause}>
          {t(is_paused ? 'log.resume' : 'log.pause')}
        </Button>
        <Checkbox checked={is_following} onChange={({ target }) => setFollowing(target.checked)}>
          {t('log.follow')}
        </Checkbox>
        <Checkbox checked={is_wrapped} onChange={({ target }) => setWrapped(target.checked)}>
          {t('log.wrap')}
        </Checkbox>
        <DisabledReason disabled_reason={view.lines.length === 0 ? t('log.empty') : undefined}>
          <Button icon={<DownloadOutlined aria-hidden />} disabled={view.lines.length === 0} onClick={save}>
            {t('log.save')}
          </Button>
        </DisabledReason>
        {isOver(now.status) ? (
          <Button type="primary" className="remote-end" onClick={onAgain}>
            {t('again')}
          </Button>
        ) : (
          <Button danger className="remote-end" onClick={end}>
            {t('end')}
          </Button>
        )}
      </div>
      <StatusLine status={now.status} name={device.name} has_pictures={false}>
        <span className="dim">
          {t('log.lines', { count: view.lines.length, shown: count(view.lines.length) })}
          {view.dropped > 0 && ` · ${t('log.dropped', { max: count(most_lines) })}`}
        </span>
        {is_paused && (
          <span className="warn">{t('log.waiting', { count: view.waiting, shown: count(view.waiting) })}</span>
        )}
        <span className="remote-status-end">
          {!isOver(now.status) && <TimeLeft ends_at={now.ends_at} can_renew={false} />}
        </span>
      </StatusLine>
      <LogView
        label={t('log.of', { name: device.name })}
        lines={view.lines}
        is_wrapped={is_wrapped}
        is_following={is_following && !is_paused}
        onScrolledUp={() => setFollowing(false)}
      />
    </Frame>
  )
}
