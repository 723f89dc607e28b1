import type { Down } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import { readKeptRow } from '../shared/kept-row.ts'
import type { ConfigAtWork } from './config.ts'

/** What the agent is asked to do; `payload` has every field that it needs, as one that is missing makes the agent drop the whole answer. */
export type Command = { type: string; payload?: Record<string, unknown> }
export type Outcome = { status: string; detail: string }

/** An attempt of a task whose commands are with the agent, or wait here for what the push asks of the device. */
export type Open = {
  task_kid: string
  attempt: number
  type: Down['task']['type']
  /** Until its commands have gone out for the last time; nothing of it is secret. */
  task?: Down['task']
  state: 'wait_download' | 'wait_execute' | 'executing'
  /** When its commands went out, by the server's clock. */
  out_at?: number
  times: number
  boot_id?: string | undefined
  commands: Command[]
  /** By the place of the command. */
  done: Record<string, Outcome>
  seconds?: number
}
export type Boot = { id: string; at: number }
export type Kept = {
  open: Open[]
  /** The one that it is in, and the one before. */
  boots: Boot[]
  /** Digest of the hello that it last said. */
  hello?: string
  agent_version?: string
  hardware_hash?: string
  serial?: string
  located_at?: number
  /** It was asked for a fresh fix, and looks for its place at each check-in until it is told not to. */
  is_locating?: boolean
  /** So its configuration wants it. */
  is_location_on?: boolean
  scanned_at?: number
  config_version?: number
  config?: ConfigAtWork
  /** Some of it waits for the next start of the device. */
  is_config_owed?: boolean
  has_kiosk?: boolean
  /** It has enrolled again since it was last here. */
  is_reset?: boolean
}

export async function readKept(deps: Deps, terminal_kid: string): Promise<Kept | undefined> {
  const kept = await readKeptRow(deps, terminal_kid)
  return kept && { open: [], boots: [], ...kept }
}
