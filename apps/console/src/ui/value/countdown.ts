import { useEffect, useState } from 'react'

/** Whole seconds until a moment by `performance.now()`: the clock of this computer may be wrong, or be set. */
export function useSecondsLeft(ends_at: number | undefined): number {
  const [, turn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => turn((n) => n + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return ends_at === undefined ? 0 : Math.max(0, Math.ceil((ends_at - performance.now()) / 1_000))
}

/** 0:47 */
export const minutesText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
