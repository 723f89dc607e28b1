import { useCallback, useLayoutEffect } from 'react'
import { useSearchParams } from 'react-router'
import type { NavigateOptions } from 'react-router'

/** What was asked last: the address follows a moment later, and the next change may come before. */
let latest = new URLSearchParams()

export type ChangeSearch = (change: (before: URLSearchParams) => URLSearchParams, options?: NavigateOptions) => void

/** What was asked was refused: the next change builds on the address as it stands. */
export const forgetAsked = (search: string): void => void (latest = new URLSearchParams(search))

/** The parameters of the address, and how to change some of them: a change builds on the one before, whichever hook asked for it. */
export function useSearch(): readonly [URLSearchParams, ChangeSearch] {
  const [search, setSearch] = useSearchParams()
  const address = search.toString()
  useLayoutEffect(() => void (latest = new URLSearchParams(address)), [address])
  const change = useCallback<ChangeSearch>(
    (how, options) => {
      const after = how(latest)
      if (after === latest) return
      latest = after
      setSearch(after, options)
    },
    [setSearch],
  )
  return [search, change]
}
