import type { Down } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { deadlineSeconds } from '@mdm/contract'
import { newKid } from '../lib/ids.ts'
import { unseal } from '../lib/sealed.ts'

export type Due = Pick<
  Tables['push_task_terminal'],
  'push_task_kid' | 'terminal_kid' | 'account_kid' | 'type' | 'deadline_at' | 'cancel_asked_at'
> & { state: string; attempt: number; version: number }
export type Parcel = {
  row: Due
  name: 'task' | 'cancel'
  body: Down['cancel'] | (Record<string, unknown> & { payload: unknown })
}

const open_ms = 7 * 86_400_000
/** A device goes by its own clock, and is at it until it notices. */
const spare_ms = 86_400_000 + deadlineSeconds.executing * 1_000
const screenshot_max_bytes = 32 * 1024 ** 2

type File = { name: string; size: number; md5: string; sha256: string; object: string; content_type: string }
type Payload = Record<string, unknown> & {
  path?: string
  files?: File[]
  password_sealed?: string
  is_password_dropped?: boolean
}

/** What each row has to say to its device, whole: nothing is left for the device to ask. */
export async function buildTasks(deps: Deps, trx: Transaction<Tables>, rows: Due[]): Promise<Parcel[]> {
  const cancels = rows.filter(isCancel).map((row): Parcel => ({
    row,
    name: 'cancel',
    body: { task_kid: row.push_task_kid, attempt: row.attempt },
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
    const expires_at = expiryOf(deps, row)
    const key = `${push_task_kid} ${expires_at.getTime()}`
    if (!signed.has(key)) signed.set(key, forDevice(deps, type, payloads.get(push_task_kid) ?? {}, expires_at))
    const payload = type === 'screenshot' ? { upload_url: `/device/slot/${slots.get(slotKey(row))}` } : signed.get(key)
    const task = {
      task_kid: push_task_kid,
      attempt: row.attempt,
      version: row.version,
      expires_at: expires_at.toISOString(),
      type,
      payload,
    }
    return { row, name: 'task', body: task }
  })
  return [...cancels, ...tasks]
}

/**
 * What goes out, with the passwords of locks opened: outside of the transaction, for which the key may have to be read. One
 * that cannot be opened is not sent, since a lock without its password is another lock.
 */
export async function wordsOf(
  deps: Deps,
  parcels: Parcel[],
): Promise<{ row: Due; name: Parcel['name']; payload: string }[]> {
  const opened = new Map<string, string>()
  const words = []
  for (const { row, name, body } of parcels) {
    const { payload } = body as { payload?: Payload }
    try {
      if (payload?.is_password_dropped) throw new Error('its password is no longer stored')
      const sealed = payload?.password_sealed
      if (sealed !== undefined && !opened.has(sealed)) opened.set(sealed, await unseal(deps, sealed))
      const said = sealed === undefined ? body : { ...body, payload: { password: opened.get(sealed) } }
      words.push({ row, name, payload: JSON.stringify(said) })
    } catch (error) {
      deps.log.error(
        { err: error, push_task_kid: row.push_task_kid, terminal_kid: row.terminal_kid },
        'a lock was not sent',
      )
    }
  }
  return words
}

/** Until then the device begins, by its own clock; what it needs for that lives at least as long. */
const expiryOf = (deps: Deps, { deadline_at }: Due): Date =>
  deadline_at ?? new Date(deps.clock.now().getTime() + open_ms)

const isCancel = (row: Due): boolean => row.cancel_asked_at !== null

function forDevice(deps: Deps, type: Due['type'], payload: Payload, expires_at: Date): unknown {
  if (type !== 'file') return payload
  const seconds = Math.ceil((expires_at.getTime() + spare_ms - deps.clock.now().getTime()) / 1_000)
  return {
    files: (payload.files ?? []).map(({ name, size, md5, sha256, object, content_type }) => ({
      name,
      size,
      md5,
      sha256,
      url: deps.signFile(object, { name, content_type, seconds }),
      path: payload.path,
    })),
  }
}

const slotKey = (row: Pick<Due, 'push_task_kid' | 'terminal_kid' | 'attempt'>): string =>
  `${row.push_task_kid} ${row.terminal_kid} ${row.attempt}`

/** One slot for each attempt, the same at every re-send. */
async function openSlots(deps: Deps, trx: Transaction<Tables>, rows: Due[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const wanted = rows.map((row) => ({
    kid: newKid(),
    account_kid: row.account_kid,
    terminal_kid: row.terminal_kid,
    push_task_kid: row.push_task_kid,
    attempt: row.attempt,
    kind: 'screenshot',
    max_bytes: screenshot_max_bytes,
    expires_at: new Date(expiryOf(deps, row).getTime() + spare_ms),
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
