import { CaretRightOutlined, PauseOutlined } from '@ant-design/icons'
import { Button, Slider } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useZone } from '../../../core/session.tsx'
import { dateParts } from '../../../ui/value/format.ts'
import type { Position } from './positions.ts'

/** One position after the other, however far apart they were. */
const step_ms = 400

type Props = {
  /** Oldest first. */
  points: readonly Position[]
  /** `at` of the position that is shown. */
  chosen: string | null
  onChoose: (point: Position) => void
  /** How a position stands to the fence. */
  standing: (point: Position) => string | undefined
}

/** Plays the way of the day: a mark goes from position to position, and words say where each is of the fence. */
export function Playback({ points, chosen, onChoose, standing }: Props) {
  const { t } = useTranslation('map')
  const zone = useZone()
  const [is_playing, setPlaying] = useState(false)
  const at = points.findIndex((point) => point.at === chosen)
  const shown = points[at]
  const is_last = at === points.length - 1
  const next = useEffectEvent(() => {
    const point = points[at + 1]
    if (point) onChoose(point)
    if (at + 2 >= points.length) setPlaying(false)
  })
  useEffect(() => {
    if (!is_playing) return
    const timer = setInterval(next, step_ms)
    return () => clearInterval(timer)
  }, [is_playing])
  if (points.length < 2) return null
  const toggle = () => {
    if (!is_playing && is_last) onChoose(points[0]!)
    setPlaying(!is_playing)
  }
  const textOf = (point: Position | undefined) =>
    point ? [dateParts(point.at, zone)[1], standing(point)].filter(Boolean).join(' · ') : t('playback.begin')
  return (
    <div className="playback" role="group" aria-label={t('playback.title')}>
      <Button
        shape="circle"
        icon={is_playing ? <PauseOutlined aria-hidden /> : <CaretRightOutlined aria-hidden />}
        aria-label={t(is_playing ? 'playback.pause' : 'playback.play')}
        title={t(is_playing ? 'playback.pause' : 'playback.play')}
        onClick={toggle}
      />
      <Slider
        className="playback-slider"
        min={0}
        max={points.length - 1}
        value={Math.max(at, 0)}
        tooltip={{ open: false }}
        ariaLabelForHandle={t('playback.position')}
        ariaValueTextFormatterForHandle={(value) => textOf(points[value])}
        onChange={(value) => {
          setPlaying(false)
          onChoose(points[value]!)
        }}
      />
      <span className="playback-said" aria-live={is_playing ? 'off' : 'polite'}>
        {textOf(shown)}
      </span>
    </div>
  )
}
