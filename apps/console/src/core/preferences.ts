import { create } from 'zustand'
import { api, send } from './api.ts'
import { CallFailed } from './call-failed.ts'
import { writeStored, readStoredJson } from '../lib/stored.ts'
import { notify } from './notices.ts'
import { sessionState } from './session-store.ts'

type Key = `columns.${string}` | `views.${string}`
type Values = Readonly<Record<string, unknown>>
type Copy = { values: Values; unsaved: readonly string[] }

/** What the console remembers for a person. A value that is null is forgotten. */
type State = Copy & { of: string | null; read_at: number }
const nobody: State = { of: null, values: {}, unsaved: [], read_at: 0 }
export const usePreferences = create<State>(() => nobody)

const save_after_ms = 800
/** Another browser of the person may have changed something since; looked at when one returns to the page. */
const old_after_ms = 60_000

/** A remembered value and how to change it; null where there is none, or none that `check` accepts. */
export function usePreference<T>(
  key: Key,
  check: (value: unknown) => value is T,
): readonly [T | null, (value: T | null) => void] {
  const value = usePreferences((s) => s.values[key])
  return [check(value) ? value : null, (next) => remember(key, next)]
}

/**
 * Reads what is remembered for a person. This browser's copy of it serves at once, so that a list needs not wait; what
 * could not be saved the last time is saved now. Resolves as soon as there is something to go by.
 */
export async function loadPreferences(user_kid: string): Promise<void> {
  const copy = readStoredJson('local', copyName(user_kid), isCopy)
  if (usePreferences.getState().of !== user_kid) usePreferences.setState({ ...nobody, ...copy, of: user_kid })
  const reading = read().catch(tell)
  if (!copy) await reading
}

export function remember(key: Key, value: unknown): void {
  const { values, unsaved } = usePreferences.getState()
  put({ values: { ...values, [key]: value }, unsaved: [...unsaved.filter((each) => each !== key), key] })
  saveSoon()
}

const copyName = (user_kid: string) => `preferences.${user_kid}`
const isCopy = (value: unknown): value is Copy =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Copy).values === 'object' &&
  Array.isArray((value as Copy).unsaved)

/** Into force, and into this browser's copy. */
function put(copy: Copy): void {
  usePreferences.setState(copy)
  const { of } = usePreferences.getState()
  if (of) writeStored('local', copyName(of), JSON.stringify(copy))
}

async function read(): Promise<void> {
  const { of, values: before } = usePreferences.getState()
  const rows = await send(api.account.preferences, {})
  const { of: now_of, values, unsaved } = usePreferences.getState()
  if (now_of !== of) return
  const theirs = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  // What was changed here while the answer was on its way is newer than the answer.
  put({ values: withOwn(theirs, (key) => unsaved.includes(key) || values[key] !== before[key]), unsaved })
  usePreferences.setState({ read_at: Date.now() })
  if (unsaved.length > 0) saveSoon()
}

function withOwn(theirs: Values, isOwn: (key: string) => boolean): Values {
  const own = Object.entries(usePreferences.getState().values).filter(([key]) => isOwn(key))
  return { ...theirs, ...Object.fromEntries(own) }
}

let timer: ReturnType<typeof setTimeout> | undefined
let is_saving = false
function saveSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void save(), save_after_ms)
}

async function save(): Promise<void> {
  clearTimeout(timer)
  if (is_saving) return saveSoon()
  is_saving = true
  try {
    for (const key of usePreferences.getState().unsaved) if (!(await saveOne(key))) break
  } finally {
    is_saving = false
  }
}

let is_told = false
/** Whether to go on with the next. */
async function saveOne(key: string): Promise<boolean> {
  const { of, values } = usePreferences.getState()
  // Somebody else may be signed in by now, or nobody: then it waits in the copy.
  if (sessionState().session?.user_kid !== of) return false
  const value = values[key]
  try {
    await send(api.account.save_preference, { key, value: (value ?? null) as never })
    is_told = false
  } catch (error) {
    // Signed out meanwhile.
    if (error instanceof CallFailed && error.is_silent) return false
    if (!is_told) notify.fail(error)
    is_told = true
    // What was never answered is tried again with the next change or start; what was refused stays refused.
    if (!(error instanceof CallFailed) || error.result < 0) return false
  }
  const now = usePreferences.getState()
  if (now.of !== of) return false
  if (now.values[key] === value) put({ values: now.values, unsaved: now.unsaved.filter((each) => each !== key) })
  else saveSoon()
  return true
}

/** Without the server there is no page at all, and it says so itself. */
function tell(error: unknown): void {
  if (!(error instanceof CallFailed && error.is_offline)) notify.fail(error)
}

if (typeof window !== 'undefined') {
  // The other tabs of this browser.
  window.addEventListener('storage', ({ key }) => {
    const { of, unsaved } = usePreferences.getState()
    if (!of || !key?.endsWith(copyName(of))) return
    const copy = readStoredJson('local', copyName(of), isCopy)
    if (copy) usePreferences.setState({ values: withOwn(copy.values, (each) => unsaved.includes(each)) })
  })
  document.addEventListener('visibilitychange', () => {
    const { of, unsaved, read_at } = usePreferences.getState()
    if (document.visibilityState === 'hidden') {
      if (unsaved.length > 0) void save()
    } else if (of && of === sessionState().session?.user_kid && Date.now() - read_at > old_after_ms) {
      // The next return tries again.
      void read().catch(() => undefined)
    }
  })
}
