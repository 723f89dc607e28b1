import { createContext, use, useEffect } from 'react'
import type { Dispatch, SetStateAction } from 'react'

/** How many fields of the form around are waited for; each counts itself. */
export const FormWaits = createContext<Dispatch<SetStateAction<number>>>(() => undefined)

/** While the value of a field is on its way, the form or wizard around it is not sent with the one before. */
export function useFormWaits(is_waiting: boolean): void {
  const change = use(FormWaits)
  useEffect(() => {
    if (!is_waiting) return undefined
    change((count) => count + 1)
    return () => change((count) => count - 1)
  }, [is_waiting, change])
}
