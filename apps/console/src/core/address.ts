import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react'
import { useSearchParams } from 'react-router'
import type { NavigateOptions } from 'react-router'

/** What was asked last: the address follows a moment later, and the next change may come before. */
let latest = new URLSearchParams()
/** What the pages on screen were rendered for. */
let rendered = ''
const listeners = new Set<() => void>()
const askedIs = (search: URLSearchParams): void => {
  latest = search
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export type ChangeSearch = (change: (before: URLSearchParams) => URLSearchParams, options?: NavigateOptions) => void

/** The parameters with some of them changed; null takes one away. */
export function withParams(before: URLSearchParams, changes: Record<string, string | null>): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) after.delete(name)
    else after.set(name, value)
  }
  return after
}

/** The parameters of a list in a dialog, as the list calls them: in the address the name of the dialog stands before each. */
export const paramsIn = (dialog: string, search: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...search].flatMap(([name, value]) =>
      name.startsWith(`${dialog}.`) ? [[name.slice(dialog.length + 1), value]] : [],
    ),
  )
export const withParamsIn = (dialog: string, before: URLSearchParams, own: URLSearchParams): URLSearchParams =>
  new URLSearchParams([
    ...[...before].filter(([name]) => !name.startsWith(`${dialog}.`)),
    ...[...own].map(([name, value]) => [`${dialog}.${name}`, value]),
  ])

/** What was asked was refused: the next change builds on the address as it stands. */
export const forgetAsked = (search: string): void => askedIs(new URLSearchParams(search))

/**
 * Whether other parameters were asked for than the page shows. The router changes the address after its loader has answered, in a transition:
 * until then nothing else tells that what is on screen is about to go.
 */
export const useIsAddressPending = (): boolean => useSyncExternalStore(subscribe, () => latest.toString() !== rendered)

/** The parameters of the address, and how to change some of them: a change builds on the one before, whichever hook asked for it. */
export function useSearch(): readonly [URLSearchParams, ChangeSearch] {
  const [search, setSearch] = useSearchParams()
  const address = search.toString()
  useLayoutEffect(() => {
    rendered = address
    askedIs(new URLSearchParams(address))
  }, [address])
  const change = useCallback<ChangeSearch>(
    (how, options) => {
      const after = how(latest)
      if (after === latest) return
      askedIs(after)
      setSearch(after, options)
    },
    [setSearch],
  )
  return [search, change]
}
