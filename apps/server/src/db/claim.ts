import { sql } from 'kysely'
import type { Kysely, RawBuilder, Selectable, Updateable } from 'kysely'
import type { Deps } from '../deps.ts'
import { customerOf } from './customer.ts'
import type { Tables } from './schema/tables.ts'

/** A server that has not said for so long that it lives works on nothing any more. Three times that between two heartbeats. */
export const silent_ms = 9_000
const look_ms = 5_000
const pause_ms = 5_000

/** Tables whose rows one server works on for longer than a transaction: `worked_by`, `next_at`, `state`. */
export type ClaimedTable =
  | 'broker_session'
  | 'list_report'
  | 'mail'
  | 'os_build'
  | 'os_package'
  | 'oscs_file'
  | 'terminal_export'
  | 'webhook_delivery'
type Wanted<T extends ClaimedTable> = {
  /** In which a row is worked on; whoever takes it out of them ends the work. */
  states: readonly Tables[T]['state'][] | readonly string[]
  /** More that must be true of the row, which is `r`. */
  where?: RawBuilder<unknown>
  order: RawBuilder<unknown>
  /** So many of one customer on a server at once; first those of whose customer the fewest are worked on. */
  at_once_of_customer?: number
  /** Written as the row is taken. */
  set?: RawBuilder<unknown>
}
type Row<T extends ClaimedTable> = Selectable<Tables[T]>
export type Claim<T extends ClaimedTable> = {
  row: Row<T>
  /** Its state before it was taken. */
  was: string
  /** Aborted when the row is not this server's any more. */
  signal: AbortSignal
  /**
   * Writes into the row. Another try at a time of one's own is `worked_by: null` with its `next_at`: what is given back so is
   * not given back again. @throws ClaimLost
   */
  set(values: Updateable<Tables[T]>, trx?: Kysely<Tables>): Promise<void>
}

/** Whether a row of `node` has said within so long that it lives, by the clock of the database. */
export const isHeard = (within_ms: number): RawBuilder<boolean> =>
  sql<boolean>`node.heard_at >= now() - make_interval(secs => ${within_ms / 1000})`

/** Keys of rows that this server works on, and the last look for another. */
export type Claims = { held: Set<string>; taking: Promise<unknown> }

/** The row was ended or removed by somebody, or another server has believed this one gone. */
export class ClaimLost extends Error {}
/** Thrown by `work`: it cannot be done now, which is nobody's fault. Another try in a moment. */
export class TryLater extends Error {}

/**
 * Whether nobody works on the row `r`: it was never taken, or its server is gone. What this server has taken it knows by
 * itself (`key` is the column that names the row).
 */
export function isFree(deps: Deps, key: 'kid' | 'name' = 'kid'): RawBuilder<boolean> {
  // On the embedded database there is one server at a time, and it has removed the others.
  const lives = deps.database.kind === 'embedded' ? sql`true` : isHeard(silent_ms)
  return sql<boolean>`(r.${sql.ref(key)}::text <> ALL(${[...deps.memory.claims.held]}::text[])
    AND (r.worked_by IS NULL OR r.worked_by = ${deps.node_kid}::uuid
      OR NOT EXISTS (SELECT FROM node WHERE node.kid = r.worked_by AND ${lives})))`
}

/**
 * Takes the first row that is wanted and free, does `work` with it and gives it back. False when there is none. What
 * `work` throws leaves the row as it is, for another try in a moment; that the row was lost is no error.
 */
export async function withClaim<T extends ClaimedTable>(
  deps: Deps,
  table: T,
  wanted: Wanted<T>,
  work: (claim: Claim<T>) => Promise<void>,
): Promise<boolean> {
  const taken = await take(deps, table, wanted)
  if (!taken) return false
  const { was, ...rest } = taken
  const row = rest as unknown as Row<T>
  const { kid } = taken
  const lost = new AbortController()
  const isOurs = sql<boolean>`kid = ${kid} AND worked_by = ${deps.node_kid} AND state = ANY(${wanted.states}::text[])`
  const claim: Claim<T> = {
    row,
    was,
    signal: lost.signal,
    async set(values, trx = deps.db) {
      const { numUpdatedRows } = await (trx as Kysely<Record<string, Record<string, unknown>>>)
        .updateTable(table as string)
        .set(values)
        .where(isOurs)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return
      lost.abort()
      throw new ClaimLost(`a row of ${table} is not ours any more`)
    },
  }
  const stopLooking = deps.clock.every(look_ms, () => look(deps, table, isOurs, lost))
  let next_at: Date | null = null
  try {
    await work(claim)
  } catch (error) {
    if (!(error instanceof ClaimLost) && !lost.signal.aborted) {
      next_at = new Date(deps.clock.now().getTime() + pause_ms)
      if (!(error instanceof TryLater)) throw error
    }
  } finally {
    stopLooking()
    await giveBack(deps, table, kid, next_at)
  }
  return true
}

/** One at a time on this server: what it has taken it knows only when the database has answered. */
function take<T extends ClaimedTable>(deps: Deps, table: T, wanted: Wanted<T>) {
  const { claims } = deps.memory
  const taken = claims.taking.then(() => takeNext(deps, table, wanted))
  claims.taking = taken.catch(() => undefined)
  return taken
}

async function takeNext<T extends ClaimedTable>(
  deps: Deps,
  table: T,
  { states, where = sql`true`, order, at_once_of_customer, set }: Wanted<T>,
) {
  const now = deps.clock.now()
  const shared = at_once_of_customer === undefined ? undefined : customerShare(deps, table)
  const { rows } = await sql<Row<T> & { kid: string; was: string }>`
    UPDATE ${sql.table(table)} AS r SET worked_by = ${deps.node_kid}::uuid, next_at = NULL ${set ? sql`, ${set}` : sql``}
    FROM (
      SELECT r.kid, r.state AS was FROM ${sql.table(table)} r ${shared ? shared.join : sql``}
      WHERE r.state = ANY(${states}::text[]) AND (r.next_at IS NULL OR r.next_at <= ${now}) AND ${isFree(deps)} AND ${where}
        ${shared ? sql`AND ${shared.worked_on} < ${at_once_of_customer}` : sql``}
      ORDER BY ${shared ? sql`${shared.worked_on},` : sql``} ${order} LIMIT 1 FOR UPDATE OF r SKIP LOCKED
    ) found
    WHERE r.kid = found.kid RETURNING r.*, found.was
  `.execute(deps.db)
  const row = rows[0]
  if (row) deps.memory.claims.held.add(row.kid)
  return row
}

/** How much this server does just now for the customer of the row `r`. A row that it could not give back is not worked on. */
function customerShare({ node_kid, memory: { claims } }: Deps, table: ClaimedTable) {
  const theirs = sql`ARRAY(
    SELECT ${customerOf('held_of')} FROM ${sql.table(table)} held JOIN account held_of ON held_of.kid = held.account_kid
    WHERE held.worked_by = ${node_kid}::uuid AND held.kid::text = ANY(${[...claims.held]}::text[]))`
  return {
    join: sql`JOIN account owner ON owner.kid = r.account_kid`,
    worked_on: sql`cardinality(array_positions(${theirs}, ${customerOf('owner')}))`,
  }
}

async function look(deps: Deps, table: ClaimedTable, isOurs: RawBuilder<unknown>, lost: AbortController) {
  try {
    const { rows } = await sql`SELECT FROM ${sql.table(table)} WHERE ${isOurs}`.execute(deps.db)
    if (rows.length === 0) lost.abort()
  } catch (error) {
    deps.log.warn({ err: error, table }, 'whether a row is still ours was not found out')
  }
}

/** Where that fails it is free all the same: this server knows that it does not work on it. */
async function giveBack(deps: Deps, table: ClaimedTable, kid: string, next_at: Date | null): Promise<void> {
  try {
    await sql`
      UPDATE ${sql.table(table)} SET worked_by = NULL, next_at = ${next_at} WHERE kid = ${kid} AND worked_by = ${deps.node_kid}
    `.execute(deps.db)
  } catch (error) {
    deps.log.warn({ err: error, table, kid }, 'that a row is free again was not noted')
  } finally {
    deps.memory.claims.held.delete(kid)
  }
}
