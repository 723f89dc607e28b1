import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'

/** Of one row; the style sheet has the same. */
const row_px = 28
/** Rows above and below what is in sight, so that a quick scroll shows no gap. */
const spare = 12

type Gap = { key: string; height: number }
/** Which rows of a long list are drawn: those in sight and `kept`, which may have the focus. Gaps stand for the others. */
export function useWindow(list: RefObject<HTMLElement | null>, count: number, kept: number) {
  // oxlint-disable-next-line react/incompatible-library -- the build has no React compiler, and nothing of it is memoized
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => list.current,
    estimateSize: () => row_px,
    overscan: spare,
    // Until it is measured, enough for any screen.
    initialRect: { width: 0, height: 600 },
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...(kept >= 0 && kept < count ? [kept] : [])])].sort(
        (a, b) => a - b,
      ),
    // What scrolls is drawn with the next frame; React 19 warns of more haste.
    useFlushSync: false,
  })
  const parts: (number | Gap)[] = []
  let drawn_to = 0
  const gap = (until: number) => {
    if (until > drawn_to) parts.push({ key: `gap ${parts.length}`, height: until - drawn_to })
  }
  for (const { index, start, end } of virtualizer.getVirtualItems()) {
    gap(start)
    parts.push(index)
    drawn_to = end
  }
  gap(virtualizer.getTotalSize())
  return {
    parts,
    /** Scrolls as little as it takes to see a row. */
    reveal: (at: number) => virtualizer.scrollToIndex(at, { align: 'auto' }),
  }
}
