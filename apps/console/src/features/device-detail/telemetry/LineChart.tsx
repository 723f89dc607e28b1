import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { dateParts } from '../../../ui/value/format.ts'
import { useZone } from '../../../core/session.tsx'
import { nearest, runsOf, spanOf, timeTicks, zoneOffset } from './chart-math.ts'
import type { Extent, Point } from './chart-math.ts'

type Props = {
  name: string
  points: readonly Point[]
  /** Moments that stand out, each with its name. */
  marks?: readonly { at: number; title: string }[]
  extent: Extent
  /** Of the value axis, which begins at 0. */
  max: number
  /** A value in the person's words: '42%'. */
  format: (value: number) => string
}
const height = 148
const edge = { top: 8, right: 8, bottom: 22, left: 40 }

/** A line over time. The pointer or the arrow keys walk along its points; its summary is its accessible name. */
export function LineChart({ name, points, marks = [], extent, max, format }: Props) {
  const { t } = useTranslation('device-detail')
  const zone = useZone()
  const [box, width] = useWidth()
  const [at, setAt] = useState<number | null>(null)
  const inner = Math.max(1, width - edge.left - edge.right)
  const x = (time: number) => edge.left + ((time - extent.from) / (extent.until - extent.from)) * inner
  const y = (value: number) => edge.top + (1 - Math.min(value, max) / max) * (height - edge.top - edge.bottom)
  const is_days = extent.until - extent.from > 2 * 86_400_000
  const label = (time: number) => {
    const [date, clock] = dateParts(time, zone)
    return is_days ? date.slice(5) : clock.slice(0, 5)
  }
  const full = (time: number) =>
    dateParts(time, zone)
      .join(' ')
      .slice(is_days ? 5 : 11, 16)

  const span = spanOf(points)
  const point = at === null ? undefined : points[at]
  const told = point && t('history.point', { at: full(point.at), value: format(point.value) })
  const summary = span
    ? t('history.summary', { name, min: format(span.min), max: format(span.max), last: format(span.last) })
    : `${name}: ${t('history.none')}`

  const point_at = (event: PointerEvent) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left
    setAt(
      points.length === 0
        ? null
        : nearest(points, extent.from + ((left - edge.left) / inner) * (extent.until - extent.from)),
    )
  }
  const keyed = (event: KeyboardEvent) => {
    const last = points.length - 1
    const now = at ?? last
    const by = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last, PageUp: now - 10, PageDown: now + 10 }[
      event.key
    ]
    if (by === undefined || last < 0) return
    event.preventDefault()
    setAt(Math.max(0, Math.min(last, by)))
  }
  return (
    <figure className="chart">
      <figcaption>
        <h2>{name}</h2>
        {span && (
          <span className="dim">
            {t('history.lowest')} <b>{format(span.min)}</b> · {t('history.highest')} <b>{format(span.max)}</b> ·{' '}
            {t('history.last')} <b>{format(span.last)}</b>
          </span>
        )}
      </figcaption>
      <div
        ref={box}
        className="chart-box"
        role="slider"
        tabIndex={0}
        aria-label={summary}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={at ?? Math.max(0, points.length - 1)}
        aria-valuetext={told ?? summary}
        onKeyDown={keyed}
        onPointerMove={point_at}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
      >
        {width > 0 && (
          <svg width={width} height={height} aria-hidden>
            {[0, max / 2, max].map((value) => (
              <g key={value}>
                <line className="chart-grid" x1={edge.left} x2={width - edge.right} y1={y(value)} y2={y(value)} />
                <text x={edge.left - 6} y={y(value) + 4} textAnchor="end">
                  {format(value)}
                </text>
              </g>
            ))}
            {timeTicks(extent, Math.max(2, Math.floor(inner / 72)), zoneOffset(extent.until, zone))
              .filter((tick) => x(tick) > edge.left + 12 && x(tick) < width - edge.right - 14)
              .map((tick) => (
                <text key={tick} x={x(tick)} y={height - 6} textAnchor="middle">
                  {label(tick)}
                </text>
              ))}
            {runsOf(points).map((run) => {
              const first = run[0]
              const last = run.at(-1)
              if (!first || !last) return null
              if (run.length === 1)
                return <circle key={first.at} className="chart-dot" cx={x(first.at)} cy={y(first.value)} r={2} />
              const path = run.map((each) => `${x(each.at).toFixed(1)},${y(each.value).toFixed(1)}`).join('L')
              return (
                <g key={first.at}>
                  <path className="chart-area" d={`M${path}L${x(last.at)},${y(0)}L${x(first.at)},${y(0)}Z`} />
                  <path className="chart-line" d={`M${path}`} />
                </g>
              )
            })}
            {marks.map((mark, i) => (
              <g key={i}>
                <title>{`${full(mark.at)} ${mark.title}`}</title>
                <line className="chart-mark" x1={x(mark.at)} x2={x(mark.at)} y1={edge.top} y2={height - edge.bottom} />
                <circle className="chart-mark-head" cx={x(mark.at)} cy={edge.top} r={3} />
              </g>
            ))}
            {point && (
              <>
                <line
                  className="chart-cursor"
                  x1={x(point.at)}
                  x2={x(point.at)}
                  y1={edge.top}
                  y2={height - edge.bottom}
                />
                <circle className="chart-dot" cx={x(point.at)} cy={y(point.value)} r={3.5} />
              </>
            )}
          </svg>
        )}
        {point && (
          <span
            className="chart-tip"
            data-side={x(point.at) > width / 2 ? 'left' : 'right'}
            style={{ left: x(point.at) }}
            aria-hidden
          >
            {told}
          </span>
        )}
      </div>
    </figure>
  )
}

/** The width of an element, followed. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}
