import type { ExecutionWindow, PushConditions } from '@mdm/contract'
import type { Down } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { records } from '../../../../db/records.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { newKid } from '../../../../lib/ids.ts'
import { spare_ms } from '../kinds/kind.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'

export type Due = Pick<
  Tables['push_task_terminal'],
  'push_task_kid' | 'terminal_kid' | 'account_kid' | 'type' | 'deadline_at' | 'open_until' | 'cancel_asked_at'
> & { state: string; attempt: number; version: number; max_packet: number | null }
/** What a row owes its device: a cancellation, or the task with what is stored of it and where to upload its result. */
export type Outgoing = {
  row: Due
  task: { stored: Stored; conditions: object; upload_url: string | undefined } | undefined
}
export type Written = { row: Due; name: 'task' | 'cancel'; payload: string }

const open_ms = 7 * 86_400_000
/** Until then the device begins, by its own clock; what it needs for that lives at least as long. */
const expiryOf = ({ clock }: Deps, { open_until, deadline_at }: Due): Date =>
  open_until ?? deadline_at ?? new Date(clock.now().getTime() + open_ms)

const isCancel = (row: Due): boolean => row.cancel_asked_at !== null

/** What each row has to say to its device, whole: nothing is left for the device to ask. */
export async function loadOutgoing(deps: Deps, trx: Transaction<Tables>, rows: Due[]): Promise<Outgoing[]> {
  const work = rows.filter((row) => !isCancel(row))
  const kids = [...new Set(work.map((row) => row.push_task_kid))]
  if (kids.length === 0) return rows.map((row) => ({ row, task: undefined }))
  const found = await sql<{ kid: string; payload: Stored; conditions: Partial<PushConditions> }>`
    SELECT kid, payload, conditions FROM push_task WHERE kid = ANY(${kids}::uuid[])
  `.execute(trx)
  const tasks = new Map(found.rows.map(({ kid, ...task }) => [kid, task]))
  const slots = await openSlots(deps, trx, work)
  return rows.map((row) => {
    if (isCancel(row)) return { row, task: undefined }
    const slot = slots.get(slotKey(row))
    const upload_url = slot === undefined ? undefined : `/device/slot/${slot}`
    const { payload = {}, conditions = {} } = tasks.get(row.push_task_kid) ?? {}
    return { row, task: { stored: payload, conditions: deviceConditions(conditions), upload_url } }
  })
}

/**
 * What goes out; outside of the transaction, because a kind may have to wait for a key. What cannot be said is not sent,
 * and logged.
 */
export async function encodeOutgoing(deps: Deps, outgoing: Outgoing[]): Promise<Written[]> {
  const payloads = new Map<string, unknown>()
  const written: Written[] = []
  for (const { row, task } of outgoing) {
    const { push_task_kid: task_kid, attempt, version, type } = row
    if (!task) {
      written.push({ row, name: 'cancel', payload: JSON.stringify({ task_kid, attempt } satisfies Down['cancel']) })
      continue
    }
    const expires_at = expiryOf(deps, row)
    const { stored, upload_url, conditions } = task
    // The same for every device of a task, unless it says where that device uploads.
    const key = `${task_kid} ${expires_at.getTime()} ${upload_url ?? ''}`
    try {
      if (!payloads.has(key))
        payloads.set(key, (await kindOf(type).toDevice?.(deps, stored, { expires_at, upload_url })) ?? stored)
      const body = {
        task_kid,
        attempt,
        version,
        expires_at: expires_at.toISOString(),
        ...conditions,
        type,
        payload: payloads.get(key),
      }
      written.push({ row, name: 'task', payload: JSON.stringify(body) })
    } catch (error) {
      deps.log.error(
        { err: error, push_task_kid: task_kid, terminal_kid: row.terminal_kid, type },
        'a task was not sent',
      )
    }
  }
  return written
}

/** What of the conditions is the device's to keep: only what is not as it would be anyhow. */
function deviceConditions(conditions: Partial<PushConditions>): Partial<Down['task']> {
  const { network, window, min_battery, download_prompt, install_prompt, force_install, after_install } = conditions
  return {
    ...(network === 'wifi' && { network }),
    ...(window && { window: deviceWindow(window) }),
    ...(min_battery !== undefined && { min_battery }),
    ...(download_prompt && { download_prompt }),
    ...(install_prompt && { install_prompt }),
    ...(force_install && { force_install }),
    ...(after_install && after_install !== 'nothing' && { after_install }),
  }
}

/** Hours alone: a device knows nothing of names, and days that are all of them say nothing. */
const deviceWindow = ({ from, to, days }: ExecutionWindow): Down['task']['window'] => ({
  from,
  to,
  ...(days && days.length < 7 && { days }),
})

const slotKey = (row: Pick<Due, 'push_task_kid' | 'terminal_kid' | 'attempt'>): string =>
  `${row.push_task_kid} ${row.terminal_kid} ${row.attempt}`

/** One slot for each attempt of a kind that uploads, the same at every re-send. */
async function openSlots(deps: Deps, trx: Transaction<Tables>, rows: Due[]): Promise<Map<string, string>> {
  const wanted = rows.flatMap((row) => {
    const { uploads } = kindOf(row.type)
    if (!uploads) return []
    return {
      kid: newKid(),
      account_kid: row.account_kid,
      terminal_kid: row.terminal_kid,
      push_task_kid: row.push_task_kid,
      attempt: row.attempt,
      kind: uploads.kind,
      max_bytes: uploads.max_bytes,
      expires_at: new Date(expiryOf(deps, row).getTime() + spare_ms),
    }
  })
  if (wanted.length === 0) return new Map()
  const { rows: slots } = await sql<{ kid: string; push_task_kid: string; terminal_kid: string; attempt: number }>`
    INSERT INTO device_slot (kid, account_kid, terminal_kid, push_task_kid, attempt, kind, max_bytes, expires_at)
    SELECT r.* FROM ${records(wanted).as(`r(kid uuid, account_kid uuid, terminal_kid uuid, push_task_kid uuid,
      attempt integer, kind text, max_bytes bigint, expires_at timestamptz)`)}
    WHERE EXISTS (SELECT FROM terminal t WHERE t.kid = r.terminal_kid)
    ON CONFLICT (push_task_kid, terminal_kid, attempt) DO UPDATE SET expires_at = excluded.expires_at
    RETURNING kid, push_task_kid, terminal_kid, attempt
  `.execute(trx)
  return new Map(slots.map((slot) => [slotKey(slot), slot.kid]))
}
