import { useState, useSyncExternalStore } from 'react'
import type { Quality } from '../picture.ts'
import { LinkMeter } from './link-meter.ts'
import type { Link } from './link-meter.ts'
import type { Look } from './Screen.tsx'

/** What a person has chosen; `auto` leaves the quality to what the connection bears. */
export type ChosenLook = Omit<Look, 'quality'> & { quality: Quality | 'auto' }

/** The quality that is asked for now, and what was measured for it. */
export function useQuality({ quality }: ChosenLook): { meter: LinkMeter; link: Link; quality: Quality } {
  const [meter] = useState(() => new LinkMeter())
  const link = useSyncExternalStore(meter.subscribe, meter.current)
  return { meter, link, quality: quality === 'auto' ? link.quality : quality }
}
