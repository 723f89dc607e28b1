import type { Down } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'

export type Due = Pick<
  Tables['push_task_terminal'],
  'push_task_kid' | 'terminal_kid' | 'account_kid' | 'type' | 'deadline_at' | 'cancel_asked_at'
> & { state: string; attempt: number; version: number }
export type Parcel = { row: Due; name: 'task' | 'cancel'; payload: string }

/** As long as a device may take from here to the end of its download, re-sends at later hellos aside. */
const url_seconds = 3 * 86_400
const open_ms = 7 * 86_400_000
const slot_ms = 2 * 86_400_000
const screenshot_max_bytes = 32 * 1024 ** 2

type File = { name: string; size: number; md5: string; sha256: string; object: string; content_type: string }
type Payload = Record<string, unknown> & { path?: string; files?: File[] }

/** What each row has to say to its device, whole: nothing is left for the device to ask. */
export async function buildTasks(deps: Deps, trx: Transaction<Tables>, rows: Due[]): Promise<Parcel[]> {
  const cancels = rows.filter(isCancel).map((row): Parcel => ({
    row,
    name: 'cancel',
    payload: JSON.stringify({ task_kid: row.push_task_kid, attempt: row.attempt } satisfies Down['cancel']),
  }))
  const work = rows.filter((row) => !isCancel(row))
  if (work.length === 0) return cancels
  const kids = [...new Set(work.map((row) => row.push_task_kid))]
  const found = await sql<{ kid: string; payload: Payload }>`
    SELECT kid, payload FROM push_task WHERE kid = ANY(${kids}::uuid[])
  `.execute(trx)
  const payloads = new Map(found.rows.map(({ kid, payload }) => [kid, payload]))
  const slots = await openSlots(
    deps,
    trx,
    work.filter((row) => row.type === 'screenshot'),
  )
  const signed = new Map<string, unknown>()
  const tasks = work.map((row): Parcel => {
    const { push_task_kid, type } = row
    if (!signed.has(push_task_kid)) signed.set(push_task_kid, forDevice(deps, type, payloads.get(push_task_kid) ?? {}))
    const payload =
      type === 'screenshot' ? { upload_url: `/device/slot/${slots.get(slotKey(row))}` } : signed.get(push_task_kid)
    const expires_at = row.deadline_at ?? new Date(deps.clock.now().getTime() + open_ms)
    const task = {
      task_kid: push_task_kid,
      attempt: row.attempt,
      version: row.version,
      expires_at: expires_at.toISOString(),
      type,
      payload,
    }
    return { row, name: 'task', payload: JSON.stringify(task) }
  })
  return [...cancels, ...tasks]
}

const isCancel = (row: Due): boolean => row.cancel_asked_at !== null

function forDevice(deps: Deps, type: Due['type'], payload: Payload): unknown {
  if (type !== 'file') return payload
  return {
    files: (payload.files ?? []).map(({ name, size, md5, sha256, object, content_type }) => ({
      name,
      size,
      md5,
      sha256,
      url: deps.signFile(object, { name, content_type, seconds: url_seconds }),
      path: payload.path,
    })),
  }
}

const slotKey = (row: Pick<Due, 'push_task_kid' | 'terminal_kid' | 'attempt'>): string =>
  `${row.push_task_kid} ${row.terminal_kid} ${row.attempt}`

/** One slot for each attempt, the same at every re-send. */
async function openSlots(deps: Deps, trx: Transaction<Tables>, rows: Due[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const expires_at = new Date(deps.clock.now().getTime() + slot_ms)
  const wanted = rows.map((row) => ({
    kid: newKid(),
    account_kid: row.account_kid,
    terminal_kid: row.terminal_kid,
    push_task_kid: row.push_task_kid,
    attempt: row.attempt,
    kind: 'screenshot',
    max_bytes: screenshot_max_bytes,
    expires_at,
  }))
  const { rows: slots } = await sql<{ kid: string; push_task_kid: string; terminal_kid: string; attempt: number }>`
    INSERT INTO device_slot (kid, account_kid, terminal_kid, push_task_kid, attempt, kind, max_bytes, expires_at)
    SELECT r.* FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS r(kid uuid, account_kid uuid, terminal_kid uuid,
      push_task_kid uuid, attempt integer, kind text, max_bytes bigint, expires_at timestamptz)
    WHERE EXISTS (SELECT FROM terminal t WHERE t.kid = r.terminal_kid)
    ON CONFLICT (push_task_kid, terminal_kid, attempt) DO UPDATE SET expires_at = excluded.expires_at
    RETURNING kid, push_task_kid, terminal_kid, attempt
  `.execute(trx)
  return new Map(slots.map((slot) => [slotKey(slot), slot.kid]))
}
