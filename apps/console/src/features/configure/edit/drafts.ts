import { useEffect } from 'react'
import { create } from 'zustand'
import { configSectionKeys } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import type { CallFailed } from '../../../core/call-failed.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import type { ConfigPlace } from '../config-place.ts'

/** What sections are to become at a level; null resets one. */
export type Draft = Partial<Record<ConfigSection, unknown>>
type Kept = { draft: Draft; error: CallFailed | null }
type State = { kept: Readonly<Record<string, Kept>> }

/** Changes that are not saved yet, by account and level: they outlive tabs and pages, and end with the session. */
const useDrafts = create<State>(() => ({ kept: {} }))
useSessionStore.subscribe(({ token }, before) => {
  if (token !== before.token) useDrafts.setState({ kept: {} })
})

const nothing: Kept = { draft: {}, error: null }
const keyOf = (account_kid: string | null, place: ConfigPlace): string =>
  [account_kid, place.ltscope, place.terminal_group_kid, place.profile_kid, place.terminal_kid].join(' ')

export type Drafting = ReturnType<typeof useDraft>
/** The changes of sections of a level that are not saved yet. */
export function useDraft(place: ConfigPlace) {
  const account_kid = useSessionStore((state) => state.account_kid)
  const key = keyOf(account_kid, place)
  const { draft, error } = useDrafts((state) => state.kept[key] ?? nothing)
  const put = (next: Kept) => useDrafts.setState(({ kept }) => ({ kept: { ...kept, [key]: next } }))
  const sections = configSectionKeys.filter((section) => section in draft)
  const is_empty = sections.length === 0
  useEffect(() => {
    if (is_empty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [is_empty])
  return {
    draft,
    sections,
    /** Why the last save was refused. */
    error,
    keep: (section: ConfigSection, value: unknown) => put({ draft: { ...draft, [section]: value }, error: null }),
    undo: (section: ConfigSection) => {
      const { [section]: _undone, ...rest } = draft
      put({ draft: rest, error: null })
    },
    discard: () => put(nothing),
    refuse: (refused: CallFailed | null) => put({ draft, error: refused }),
  }
}

/** As `save` and `affected` take it. */
export function inputOf(draft: Draft) {
  const sections = configSectionKeys.filter((section) => section in draft)
  const resets = sections.filter((section) => draft[section] === null)
  const given = sections.filter((section) => draft[section] !== null).map((section) => [section, draft[section]])
  return { ...Object.fromEntries(given), ...(resets.length > 0 && { resets }) } as Draft & { resets?: ConfigSection[] }
}

/** The part of a refusal that is about one section, its fields named as its form names them; null where none is. */
export function refusalOf(error: CallFailed | null, section: ConfigSection): CallFailed | null {
  const mine = Object.entries(error?.fields ?? {}).filter(([path]) => path.startsWith(`${section}.`))
  if (!error || mine.length === 0) return null
  const fields = Object.fromEntries(mine.map(([path, text]) => [path.slice(section.length + 1), text]))
  return Object.assign(Object.create(Object.getPrototypeOf(error) as object) as CallFailed, error, {
    fields,
    message: error.message,
  })
}
