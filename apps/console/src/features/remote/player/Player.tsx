import { CaretRightOutlined, PauseOutlined, RedoOutlined } from '@ant-design/icons'
import { Button, Segmented, Skeleton, Slider } from 'antd'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RemoteSession } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { minutesText } from '../../../ui/value/countdown.ts'
import { useNumber } from '../../../ui/value/format.ts'
import { castShow, fbsShow } from './shows.ts'
import type { Show } from './shows.ts'
import { UnreadableRecording } from './recording.ts'

type Recording = RemoteSession['recordings'][number]
type Props = { recording: Recording; sn: string; onClose: () => void }
const speeds = [0.5, 1, 2, 4, 8]
const turn_ms = 50

/** Plays what was recorded of a screen or of a terminal, in one frame. */
export default function Player({ recording, sn, onClose }: Props) {
  const { t } = useTranslation('remote')
  const show = useShow(recording)
  return (
    <Dialog width={1080} title={t('player.title', { name: sn })} footer={null} onCancel={onClose}>
      {show.error && <Failure error={show.error} />}
      {!show.ready && !show.error && <Skeleton.Node active className="remote-loading" />}
      {show.ready && <Playing show={show.ready} />}
    </Dialog>
  )
}

/** Fetches a recording and reads it. Watching is logged by the server with the call. */
function useShow({ kid, format }: Recording): { ready: Show | null; error: Error | null } {
  const { t } = useTranslation('remote')
  const [state, setState] = useState<{ ready: Show | null; error: Error | null }>({ ready: null, error: null })
  const [unreadable, gone] = [t('player.unreadable'), t('player.gone')]
  useEffect(() => {
    const over = new AbortController()
    const load = async (): Promise<Show> => {
      const { url } = await send(api.terminalRemote.watch, { recording_kid: kid }, over.signal)
      const reply = await fetch(url, { signal: over.signal })
      if (!reply.ok) throw new Error(gone)
      return format === 'fbs' ? fbsShow(new Uint8Array(await reply.arrayBuffer())) : castShow(await reply.text())
    }
    load().then(
      (ready) => setState({ ready, error: null }),
      (error: unknown) => {
        if (over.signal.aborted) return
        const said = error instanceof UnreadableRecording ? new Error(unreadable) : (error as Error)
        setState({ ready: null, error: said })
      },
    )
    return () => over.abort()
  }, [kid, format, unreadable, gone])
  return state
}

function Playing({ show }: { show: Show }) {
  const { t } = useTranslation('remote')
  const number = useNumber()
  const place = useRef<HTMLDivElement>(null)
  const [at_ms, setAt] = useState(0)
  const [is_playing, setPlaying] = useState(true)
  const [speed, setSpeed] = useState(1)
  const is_over = at_ms >= show.duration_ms
  useEffect(() => {
    if (!place.current) return
    show.open(place.current)
    return () => show.close()
  }, [show])
  useEffect(() => void show.goTo(at_ms), [show, at_ms])
  const turn = useEffectEvent((passed_ms: number) => {
    const next = Math.min(show.duration_ms, at_ms + passed_ms * speed)
    setAt(next)
    if (next >= show.duration_ms) setPlaying(false)
  })
  useEffect(() => {
    if (!is_playing) return
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      turn(now - last)
      last = now
    }, turn_ms)
    return () => clearInterval(timer)
  }, [is_playing])
  const toggle = () => {
    if (is_over) setAt(0)
    setPlaying(!is_playing)
  }
  const clock = (ms: number) => minutesText(Math.floor(ms / 1_000))
  const label = t(is_playing ? 'player.pause' : is_over ? 'player.again' : 'player.play')
  const icon = is_playing ? (
    <PauseOutlined aria-hidden />
  ) : is_over ? (
    <RedoOutlined aria-hidden />
  ) : (
    <CaretRightOutlined aria-hidden />
  )
  return (
    <div className="remote-player">
      <div ref={place} className="remote-player-stage" data-kind={show.kind} />
      <div className="remote-player-tools" role="group" aria-label={t('player.tools')}>
        <Button shape="circle" icon={icon} aria-label={label} title={label} onClick={toggle} />
        <Slider
          className="remote-player-slider"
          min={0}
          max={Math.max(1, show.duration_ms)}
          step={100}
          value={at_ms}
          tooltip={{ open: false }}
          ariaLabelForHandle={t('player.position')}
          ariaValueTextFormatterForHandle={(value) => clock(value)}
          onChange={setAt}
        />
        <span className="number remote-player-clock">
          {clock(at_ms)} <span className="dim">/ {clock(show.duration_ms)}</span>
        </span>
        <Segmented
          aria-label={t('player.speed')}
          title={t('player.speed')}
          value={speed}
          options={speeds.map((value) => ({ value, label: `${number(value)}×` }))}
          onChange={setSpeed}
        />
      </div>
    </div>
  )
}
