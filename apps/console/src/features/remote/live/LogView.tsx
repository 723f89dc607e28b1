import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'

const line_px = 20
type Props = {
  label: string
  lines: readonly string[]
  is_wrapped: boolean
  is_following: boolean
  /** The person looks at something above: the list must not run away from it. */
  onScrolledUp: () => void
}

/** Only the lines in sight are drawn, of as many as there are. */
export function LogView({ label, lines, is_wrapped, is_following, onScrolledUp }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on to another component
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => line_px,
    overscan: 30,
  })
  useEffect(() => {
    if (is_following && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' })
  }, [rows, is_following, lines])
  useEffect(() => rows.measure(), [rows, is_wrapped])
  return (
    <div
      ref={scroller}
      className="remote-log"
      role="log"
      aria-live="off"
      aria-label={label}
      tabIndex={0}
      data-wrap={is_wrapped || undefined}
      onWheel={({ deltaY }) => deltaY < 0 && is_following && onScrolledUp()}
    >
      <div style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={is_wrapped ? rows.measureElement : undefined}
            data-index={index}
            className="remote-log-line"
            style={{ transform: `translateY(${start}px)` }}
          >
            {lines[index] || '\u00a0'}
          </div>
        ))}
      </div>
    </div>
  )
}
