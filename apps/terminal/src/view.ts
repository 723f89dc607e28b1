import type { AgentState } from '@mdm/agent/agent.ts'
import type { StatePartsOf } from '@mdm/agent/body/body.ts'
import type { LocationState } from './body/senses.ts'
import type { Received } from './files/received.ts'

export type Message = { id: string; title: string; text: string; at: string; is_read: boolean }
/** Somebody at the device is asked. */
type Question = { id: string; text: string; may_put_off: boolean; answer(said: 'yes' | 'no' | 'later'): void }
type Warning = { id: string; text: string; until: number }
export type Settings = {
  /** What the server calls it; empty: nothing. */
  name: string
  language: string
  is_kiosk: boolean
  start_page: string
  exit_password: string
}
type Phase = 'looking' | 'start' | 'joining' | 'refused' | 'running' | 'elsewhere' | 'broken'

export type View = {
  phase: Phase
  /** What the server said of the code, or why nothing works. */
  reason: string
  sn: string
  model: string
  link: AgentState | 'asleep'
  registration_code: string | undefined
  battery: StatePartsOf['battery']
  network: string | undefined
  location: LocationState
  messages: readonly Message[]
  questions: readonly Question[]
  warnings: readonly Warning[]
  files: readonly Received[]
  is_ringing: boolean
  is_audible: boolean
  settings: Settings
  can_install: boolean
}

export const noSettings: Settings = { name: '', language: '', is_kiosk: false, start_page: '', exit_password: '' }

const nothing: View = {
  phase: 'looking',
  reason: '',
  sn: '',
  model: '',
  link: 'offline',
  registration_code: undefined,
  battery: undefined,
  network: undefined,
  location: 'off',
  messages: [],
  questions: [],
  warnings: [],
  files: [],
  is_ringing: false,
  is_audible: false,
  settings: noSettings,
  can_install: false,
}

/** What the page shows now. The body and the session write it, the page reads it. */
export function openView() {
  let now = nothing
  const readers = new Set<() => void>()
  return {
    get now(): View {
      return now
    },
    set(part: Partial<View>): void {
      now = { ...now, ...part }
      for (const reader of readers) reader()
    },
    subscribe(reader: () => void): () => void {
      readers.add(reader)
      return () => void readers.delete(reader)
    },
  }
}
export type OpenView = ReturnType<typeof openView>
