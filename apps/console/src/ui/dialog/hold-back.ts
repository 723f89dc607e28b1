import { createContext, useContext, useLayoutEffect, useState } from 'react'

/** Holds the act of a dialog back; returns what lets it go. */
type Hold = () => () => void
export const HoldBack = createContext<Hold>(() => () => undefined)

/** The act of the dialog around this cannot be pressed as long as `is_held`. */
export function useHoldBack(is_held: boolean): void {
  const hold = useContext(HoldBack)
  // Before anything is painted: nobody meets a button that can be pressed for a moment.
  useLayoutEffect(() => (is_held ? hold() : undefined), [is_held, hold])
}

/** For the dialog: whether something in it holds its act back, and the context that its content does it by. */
export function useHeldBack(): { is_held: boolean; hold: Hold } {
  const [holds, setHolds] = useState(0)
  const [hold] = useState<Hold>(() => () => {
    setHolds((now) => now + 1)
    return () => setHolds((now) => now - 1)
  })
  return { is_held: holds > 0, hold }
}
