import { useEffect, useState } from 'react'
import type { RefObject } from 'react'

/** Of one row; the style sheet has the same. */
const row_px = 28
/** Rows above and below what is in sight, so that a quick scroll shows no gap. */
const spare = 12

type Gap = { key: string; height: number }
/** Which rows of a long list are drawn: those in sight and `kept`, which may have the focus. Gaps stand for the others. */
export function useWindow(list: RefObject<HTMLElement | null>, count: number, kept: number) {
  const [sight, setSight] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const element = list.current
    if (!element) return
    const look = () => {
      const { scrollTop: top, clientHeight: height } = element
      setSight((before) => (before.top === top && before.height === height ? before : { top, height }))
    }
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [list])
  return {
    parts: partsOf(count, sight, kept),
    /** Scrolls as little as it takes to see a row. */
    reveal(at: number) {
      const element = list.current
      if (!element) return
      const { scrollTop, clientHeight } = element
      const top = at * row_px
      const to =
        top < scrollTop ? top : top + row_px > scrollTop + clientHeight ? top + row_px - clientHeight : scrollTop
      element.scrollTop = to
      setSight({ top: to, height: clientHeight })
    },
  }
}

export function partsOf(
  count: number,
  { top, height }: { top: number; height: number },
  kept: number,
): (number | Gap)[] {
  const first = Math.max(0, Math.min(Math.floor(top / row_px) - spare, count - 1))
  const end = Math.min(count, Math.ceil((top + height) / row_px) + spare)
  const drawn = Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n)
  if (kept >= 0 && kept < first) drawn.unshift(kept)
  if (kept >= end && kept < count) drawn.push(kept)
  const parts: (number | Gap)[] = []
  let next = 0
  for (const at of [...drawn, count]) {
    if (at > next) parts.push({ key: `gap ${parts.length}`, height: (at - next) * row_px })
    if (at < count) parts.push(at)
    next = at + 1
  }
  return parts
}
