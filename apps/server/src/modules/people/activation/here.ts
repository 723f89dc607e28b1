import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import type { ActivationOutcome, OwnActivation, OwnActivationState } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { plainCode, readCode, receiptOf } from './code.ts'
import type { CodePayload } from './code.ts'
import { activationTime } from './time.ts'

type Db = Kysely<Tables>
const hour_ms = 3_600_000

export type Held = {
  state: OwnActivationState
  payload: CodePayload | undefined
  row: HeldRow | undefined
  /** What the activation goes by, which may be later than the clock. */
  now: Date
}
type HeldRow = Omit<Selectable<Tables['activation_here']>, 'is_only'>

/** How this server stands. Within a transaction that locks it, additions that it limits come one after another. */
export async function held(deps: Deps, db: Db = deps.db, options: { is_locked?: boolean } = {}): Promise<Held> {
  const { is_needed, key } = deps.config.activation
  if (!is_needed) return { state: 'not_needed', payload: undefined, row: undefined, now: deps.clock.now() }
  const row = await db
    .selectFrom('activation_here')
    .selectAll()
    .$if(options.is_locked === true, (q) => q.forUpdate())
    .executeTakeFirst()
  const payload = row && readCode(key ?? '', row.code)
  if (!row || !payload) return { state: 'missing', payload: undefined, row: undefined, now: deps.clock.now() }
  const now = activationTime(deps, row)
  return { state: stateOf(payload, row, now), payload, row, now }
}

function stateOf(payload: CodePayload, row: HeldRow, now: Date): OwnActivationState {
  if (row.ended_at) return 'eliminated'
  if (now >= new Date(payload.ends_at)) return 'expired'
  return isForMachine(payload) ? 'active' : 'foreign_machine'
}

/** Of this machine, without loops and without those that have none. */
export const ownMacs = (): string[] =>
  [
    ...new Set(
      Object.values(networkInterfaces()).flatMap((several) =>
        (several ?? []).flatMap(({ internal, mac }) => (internal || /^[0:]*$/.test(mac) ? [] : mac.toUpperCase())),
      ),
    ),
  ].toSorted()

const isForMachine = ({ macs }: CodePayload): boolean =>
  macs.length === 0 || ownMacs().some((mac) => macs.includes(mac))

/** What is there already counts, whenever it was added. */
export async function taken(db: Db): Promise<{ accounts: number; devices: number }> {
  const { rows } = await sql<{ accounts: number; devices: number }>`
    SELECT count(*) FILTER (WHERE type = 1)::int AS accounts, COALESCE(sum(terminal_count), 0)::bigint AS devices
    FROM account`.execute(db)
  return rows[0]!
}

/** For the provider; undefined without a code, and for one that ended. */
export async function ownReceipt(deps: Deps, { state, payload, row }: Held): Promise<string | undefined> {
  if (!row || !payload) return undefined
  return receiptOf(row.code, await outcomeOf(deps, state, payload))
}

async function outcomeOf({ db }: Deps, state: OwnActivationState, terms: CodePayload): Promise<ActivationOutcome> {
  if (state === 'foreign_machine') return 'foreign_machine'
  const { accounts, devices } = await taken(db)
  return accounts > terms.max_accounts || devices > terms.max_devices ? 'over_limit' : 'activated'
}

/** For the notice that it ends; null where none is needed. */
export async function heldActivation(deps: Deps): Promise<Pick<OwnActivation, 'state' | 'ends_at'> | null> {
  const { state, payload } = await held(deps)
  return state === 'not_needed' ? null : { state, ends_at: payload?.ends_at ?? null }
}

export async function thisServer(deps: Deps): Promise<OwnActivation> {
  const found = await held(deps)
  const { state, payload, row, now } = found
  const back_ms = now.getTime() - deps.clock.now().getTime()
  return {
    state,
    ...(await taken(deps.db)),
    macs: ownMacs(),
    name: payload?.name ?? null,
    max_accounts: payload?.max_accounts ?? null,
    max_devices: payload?.max_devices ?? null,
    code_macs: payload?.macs ?? [],
    starts_at: payload?.starts_at ?? null,
    ends_at: payload?.ends_at ?? null,
    entered_at: row?.entered_at.toISOString() ?? null,
    receipt: (await ownReceipt(deps, found)) ?? null,
    clock_back_ms: row && back_ms > hour_ms ? back_ms : 0,
    can_report: deps.config.activation.report_url !== undefined,
    reported_at: row?.reported_at?.toISOString() ?? null,
    report_error: row?.report_error ?? null,
    is_renewed: row?.is_renewed ?? false,
  }
}

/**
 * Takes up a code, typed or from the file. Refused when it was not signed by this server's provider, is for another machine,
 * has ended, was eliminated, or was replaced by a newer one that is held already. A newer one may set the known time back: the provider has
 * issued it by its own clock.
 */
export async function activate(deps: Deps, typed: string, file_sha256?: string): Promise<CodePayload> {
  const { is_needed, key } = deps.config.activation
  if (!is_needed) return refuse('activation_not_needed')
  const code = plainCode(typed)
  const payload = readCode(key ?? '', code) ?? refuse('activation_code_invalid')
  await deps.db.transaction().execute(async (trx) => {
    // Two codes at a time are taken up one after the other, also before there is a row to lock.
    await trx.selectFrom('setting').select('key').where('key', '=', 'secret_key').forUpdate().execute()
    const found = await held(deps, trx, { is_locked: true })
    // Also where the code that is held is none of the provider of now.
    const known = await trx.selectFrom('activation_here').select('ended_kids').executeTakeFirst()
    if (known?.ended_kids.includes(payload.kid)) refuse('activation_code_expired')
    const before = found.payload
    const is_same = before?.kid === payload.kid
    if (is_same && before.issue > payload.issue) refuse('activation_code_expired')
    const issued_at = new Date(payload.starts_at)
    const is_newer = is_same ? payload.issue > before.issue : !before || issued_at > new Date(before.starts_at)
    const latest_at = is_newer ? later(issued_at, deps.clock.now()) : found.now
    if (latest_at >= new Date(payload.ends_at)) refuse('activation_code_expired')
    if (!isForMachine(payload))
      throw new Refusal('activation_foreign_machine', {
        macs: payload.macs.join(', '),
        receipt: receiptOf(code, 'foreign_machine'),
      })
    const from_file = file_sha256 === undefined ? {} : { file_sha256 }
    if (is_same && !is_newer) {
      if (file_sha256 !== undefined) await trx.updateTable('activation_here').set(from_file).execute()
      return
    }
    const fresh = {
      ...from_file,
      code,
      entered_at: deps.clock.now(),
      latest_at,
      ended_at: null,
      reported: null,
      reported_at: null,
      report_error: null,
      is_renewed: false,
    }
    await trx
      .insertInto('activation_here')
      .values(fresh)
      .onConflict((conflict) => conflict.column('is_only').doUpdateSet(fresh))
      .execute()
  })
  return payload
}

const later = (a: Date, b: Date): Date => (a > b ? a : b)

/** Keeps what is known of the time, for a start with a clock that was set back. */
export async function noteTime(deps: Deps): Promise<void> {
  const { row, now } = await held(deps)
  if (!row) return
  await deps.db
    .updateTable('activation_here')
    .set({ latest_at: sql<Date>`GREATEST(latest_at, ${now}::timestamptz)` })
    .where('entered_at', '=', row.entered_at)
    .execute()
}

/**
 * Takes up the code of the file that MDM_ACTIVATION names, when it is another than the one before, also than that before the server was
 * started again: what was typed since then holds.
 */
export async function takeFile(deps: Deps): Promise<void> {
  const { is_needed, file } = deps.config.activation
  if (!is_needed || file === undefined) return
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (deps.memory.activation_file !== '') deps.log.warn({ err: error, file }, 'the activation code cannot be read')
    return ''
  })
  if (text === deps.memory.activation_file) return
  deps.memory.activation_file = text
  if (text === '') return
  const file_sha256 = createHash('sha256').update(plainCode(text)).digest('hex')
  const last = await deps.db.selectFrom('activation_here').select('file_sha256').executeTakeFirst()
  if (last?.file_sha256 === file_sha256) return
  try {
    const { name, ends_at } = await activate(deps, text, file_sha256)
    deps.log.info({ file, name, ends_at }, 'activated by the file')
  } catch (error) {
    if (!(error instanceof Refusal)) {
      deps.memory.activation_file = undefined
      throw error
    }
    deps.log.error({ file, why: error.refusal, ...error.details }, 'the activation code of the file was refused')
  }
}
