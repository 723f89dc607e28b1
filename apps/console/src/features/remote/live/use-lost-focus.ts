import { useEffect } from 'react'
import type { RefObject } from 'react'

/** Takes the keyboard when what had it is gone: the button that led here, or the screen that was here before. */
export function useLostFocus(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true })
  }, [place])
}
