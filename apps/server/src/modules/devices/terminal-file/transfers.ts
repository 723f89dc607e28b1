import { constants } from '@mdm/contract'
import type { TransferState } from '@mdm/contract'
import type { ParamsOf } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { plain, requestDevice } from '../../../link/ask.ts'
import { RequestError } from '../../../link/requests.ts'
import { lockAccount } from '../../../db/lock-account.ts'

export type Row = Selectable<Tables['device_transfer']>
type Method = 'file_send' | 'file_fetch' | 'log_send'
type New = Pick<Row, 'terminal_kid' | 'kind' | 'path' | 'name'> & Partial<Pick<Row, 'size' | 'object' | 'sha256'>>

const day_ms = 86_400_000
const noted_every_ms = 1_000
/** A device says every ten seconds how far it is. */
const silence_ms = 120_000
/** No file may take longer: its slot and its address end then. */
export const transfer_ms = constants.cloud_timeout_s * 1000
const running_of_device = 10
const running_of_account = 100

/** Bytes that one more transfer of the account may bring. Refuses when there is no room or too much is going on. */
async function roomFor(trx: Kysely<Tables>, deps: Deps, terminal_kid: string): Promise<number> {
  const [used] = await trx
    .selectFrom('device_transfer')
    .select([
      sql<number>`COALESCE(sum(size) FILTER (WHERE state IN ('running', 'completed')), 0)::bigint`.as('bytes'),
      sql<number>`count(*) FILTER (WHERE state = 'running')::integer`.as('running'),
      sql<number>`count(*) FILTER (WHERE state = 'running' AND terminal_kid = ${terminal_kid})::integer`.as(
        'of_device',
      ),
    ])
    .execute()
  if (used!.running >= running_of_account || used!.of_device >= running_of_device)
    refuse('too_many_requests', { seconds: 60 })
  const room = constants.device_file_cache_bytes - Number(used!.bytes)
  if (room <= 0) refuse('storage_exceeded')
  return Math.min(room, constants.device_file_max_bytes, deps.config.upload_max_bytes)
}

export async function assertOnline(scope: Kysely<Tables>, terminal_kid: string): Promise<void> {
  if (!(await isOnline(scope, terminal_kid))) refuse('device_not_online')
}

/** Refused as `not_found` where the device is out of reach. */
export async function isOnline(scope: Kysely<Tables>, terminal_kid: string): Promise<boolean> {
  const found = await scope
    .selectFrom('terminal')
    .innerJoin('terminal_state', 'terminal_state.terminal_kid', 'terminal.kid')
    .select('terminal_state.is_online')
    .where('terminal.kid', '=', terminal_kid)
    .executeTakeFirst()
  return found ? found.is_online : refuse('not_found')
}

/**
 * Notes a transfer that begins, as the last of a transaction: others of the account wait until it ends, so that many at once
 * are not more than may be. `room` is what it may bring.
 */
export async function insertTransfer(
  { deps, account_kid, user }: Actor,
  trx: Kysely<Tables>,
  wanted: New,
): Promise<{ row: Row; room: number }> {
  await lockAccount(trx, account_kid)
  const room = await roomFor(trx, deps, wanted.terminal_kid)
  if ((wanted.size ?? 0) > room) refuse('storage_exceeded')
  const now = deps.clock.now()
  const row = await trx
    .insertInto('device_transfer')
    .values({
      ...wanted,
      kid: newKid(),
      account_kid,
      created_by_kid: user.kid,
      created_by: user.name,
      created_at: now,
      touched_at: now,
      expires_at: new Date(now.getTime() + constants.device_file_cache_days * day_ms),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { row, room }
}

/** Begins to fetch something that a device has, of at most so many bytes. */
export async function fetchFrom(actor: Actor, wanted: New, max_bytes = Infinity): Promise<Row> {
  const { deps, scope } = actor
  const { row, room } = await scope.transaction().execute((trx) => insertTransfer(actor, trx, wanted))
  await sendFrom(deps, row, Math.min(room, max_bytes))
  tellBegun(deps, row)
  return row
}

/** For what goes on after its call, or belongs to none: the account alone, whoever asked. */
const scopeOf = (deps: Deps, { account_kid }: Row): Kysely<Tables> => deps.scope(account_kid)

/** Opens a slot that the device fills, once, and asks it to. */
async function sendFrom(deps: Deps, row: Row, max_bytes: number): Promise<void> {
  await scopeOf(deps, row)
    .insertInto('device_slot')
    .values({
      kid: row.kid,
      account_kid: row.account_kid,
      terminal_kid: row.terminal_kid,
      attempt: 0,
      kind: row.kind === 'log' ? 'device_log' : 'device_file',
      max_bytes,
      expires_at: new Date(deps.clock.now().getTime() + transfer_ms),
    })
    .execute()
  const slot = { transfer_kid: row.kid, upload_url: `/device/slot/${row.kid}`, max_bytes }
  if (row.kind === 'log') carry(deps, row, 'log_send', slot)
  else carry(deps, row, 'file_send', { ...slot, path: row.path })
}

/** Goes on by itself, whoever asked: how it ends is in its row. */
export function carry<M extends Method>(deps: Deps, row: Row, method: M, params: ParamsOf<M>): void {
  void run(deps, row, method, params).catch((error: unknown) =>
    deps.log.warn({ err: error, transfer_kid: row.kid }, 'a transfer could not be noted; it is ended later'),
  )
}

async function run<M extends Method>(deps: Deps, row: Row, method: M, params: ParamsOf<M>): Promise<void> {
  let noted_at = -Infinity
  let noting: Promise<void> = Promise.resolve()
  const on_progress = (percent: number) => {
    const now = deps.clock.now()
    if (now.getTime() - noted_at < noted_every_ms) return
    noted_at = now.getTime()
    noting = noting
      .then(() => note(deps, row, Math.floor(percent)))
      .catch((error: unknown) => deps.log.warn({ err: error, transfer_kid: row.kid }, 'progress was not noted'))
  }
  let failure: RequestError | undefined
  try {
    await requestDevice(deps, row.terminal_kid, method, params, { silence_ms, on_progress })
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    failure = error
  }
  await noting
  // A word that was lost on the way changes nothing when the bytes are there.
  if (row.kind === 'upload') await end(deps, row, failure ? failed(failure) : { state: 'completed', progress: 100 })
  else await endSent(deps, row, failure)
}

async function note(deps: Deps, row: Row, progress: number): Promise<void> {
  const noted = await scopeOf(deps, row)
    .updateTable('device_transfer')
    .set({ progress, touched_at: deps.clock.now() })
    .where('kid', '=', row.kid)
    .where('state', '=', 'running')
    .returning('kid')
    .executeTakeFirst()
  if (noted) tell(deps, row, 'running', progress)
}

type Ending = { state: Exclude<TransferState, 'running'>; code?: string; message?: string } & Partial<
  Pick<Row, 'progress' | 'object' | 'sha256' | 'size'>
>
export const failed = ({ code, message }: Pick<RequestError, 'code' | 'message'>): Ending => ({
  state: 'failed',
  code: plain(code).slice(0, 60),
  message: plain(message),
})

/** What a device sent is complete when its slot is filled. */
export async function endSent(deps: Deps, row: Row, failure: Pick<RequestError, 'code' | 'message'> | undefined) {
  const slot = await scopeOf(deps, row)
    .selectFrom('device_slot')
    .select('object')
    .where('kid', '=', row.kid)
    .executeTakeFirst()
  const info = slot?.object ? await deps.objects.info(slot.object) : undefined
  if (!slot?.object || !info) return end(deps, row, failed(failure ?? new RequestError('nothing_sent')))
  const { size, sha256 } = info
  return end(deps, row, { state: 'completed', progress: 100, object: slot.object, size, sha256 })
}

/** Ends a transfer that is running; undefined when it has ended already. Its slot is gone: what still arrives is dropped. */
export async function end(deps: Deps, row: Row, ending: Ending): Promise<Row | undefined> {
  const now = deps.clock.now()
  const ended = await scopeOf(deps, row)
    .transaction()
    .execute(async (trx) => {
      const found = await trx
        .updateTable('device_transfer')
        .set({ ...ending, touched_at: now, finished_at: now })
        .where('kid', '=', row.kid)
        .where('state', '=', 'running')
        .returningAll()
        .executeTakeFirst()
      if (!found) return undefined
      const slot = await trx.deleteFrom('device_slot').where('kid', '=', row.kid).returning('object').executeTakeFirst()
      return { row: found, unwanted: slot?.object !== ending.object ? slot?.object : null }
    })
  if (!ended) return undefined
  if (ended.unwanted) await deps.objects.delete(ended.unwanted)
  tell(deps, ended.row, ended.row.state, ended.row.progress)
  return ended.row
}

function tell(deps: Deps, { account_kid, terminal_kid, kid, kind }: Row, state: TransferState, progress: number): void {
  const type = kind === 'log' ? 'terminal_log' : 'terminal_file'
  deps.live.publish(account_kid, { type, kid: terminal_kid, transfer_kid: kid, state, progress })
}
export const tellBegun = (deps: Deps, row: Row): void => tell(deps, row, 'running', 0)
