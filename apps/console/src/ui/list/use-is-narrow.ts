import { useSyncExternalStore } from 'react'

/** Up to a small laptop's width with the menu open there is no room beside a table. */
const narrow = matchMedia('(max-width: 1100px)')
const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
