import { constants } from '@mdm/contract'
import type { WebhookEvent } from '@mdm/contract'
import { sql } from 'kysely'
import type { InsertQueryBuilder, Kysely, UpdateQueryBuilder } from 'kysely'
import { customerOf } from '../../../db/customer.ts'
import { records } from '../../../db/records.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { operationMessage } from './messages.ts'
import type { Message, RecordedOperation, TimelyMessage } from './messages.ts'
import { webhookDeliveries } from './sender.ts'
import { wake } from '../../../lib/background.ts'

type Hook = Pick<Tables['webhook'], 'kid' | 'account_kid' | 'events'>
type Delivery = Pick<Tables['webhook_delivery'], 'kid' | 'webhook_kid' | 'event' | 'payload'>
/** Of the row of an operation: an insert, or the update of a row that was begun. */
type LogWrite = {
  execute(): Promise<unknown>
  returning(column: 'kid'): InsertQueryBuilder<any, any, any> | UpdateQueryBuilder<any, any, any, any>
}

const { webhook_waiting_max, webhook_waiting_of_customer } = constants
/** A webhook hears what happens from this long after it was saved on. */
const keep_ms = 1_000
const max_known = 5_000
/** By account; those of the provider by ''. */
export type KnownHooks = Map<string, { until: number; hooks: Hook[] }>

/** Those that may hear of something in this account, its own and the provider's; looked up once a second at most. */
async function hooksOf(deps: Deps, account_kid: string | null): Promise<Hook[]> {
  const cache = deps.memory.webhooks
  const now = deps.clock.elapsed()
  const key = account_kid ?? ''
  const known = cache.get(key)
  if (known && now < known.until) return known.hooks
  if (cache.size >= max_known) cache.clear()
  // Each reads for itself until one has read: a transaction that waits for a reader outside of it would wait for ever.
  const hooks = await readHooks(deps.db, account_kid)
  cache.set(key, { until: now + keep_ms, hooks })
  return hooks
}

const readHooks = async (db: Kysely<Tables>, account_kid: string | null): Promise<Hook[]> =>
  (
    await sql<Hook>`
      SELECT w.kid, w.account_kid, w.events FROM webhook w WHERE w.account_kid = ${account_kid} AND w.is_enabled
      UNION
      SELECT w.kid, w.account_kid, w.events FROM account a JOIN webhook w ON w.account_kid = a.kid
      WHERE a.type = 101 AND w.is_enabled`.execute(db)
  ).rows

/** What is to be delivered to whom. A message that nobody wants is not even written. */
function deliveriesOf(
  hooks: readonly Hook[],
  events: readonly WebhookEvent[],
  write: (event: WebhookEvent) => Message,
): Delivery[] {
  return events.flatMap((event) => {
    const listening = hooks.filter((hook) => hook.events.includes(event))
    if (listening.length === 0) return []
    const { payload } = write(event)
    return listening.map((hook) => ({ kid: newKid(), webhook_kid: hook.kid, event, payload }))
  })
}

/** How many more messages may wait for the webhook `w`. Those who ask at once may be let past it by a few. */
const room = sql<number>`least(
  ${webhook_waiting_max}::integer - (SELECT count(*) FROM (
    SELECT FROM webhook_delivery q WHERE q.account_kid = w.account_kid AND q.webhook_kid = w.kid AND q.state = 'queued'
    LIMIT ${webhook_waiting_max}::integer) AS own),
  ${webhook_waiting_of_customer}::integer - (SELECT count(*) FROM (
    SELECT FROM account a JOIN account c ON (c.kid = ${customerOf('a')} OR c.parent_kid = ${customerOf('a')})
      AND ${customerOf('c')} = ${customerOf('a')}
    JOIN webhook_delivery q ON q.account_kid = c.kid AND q.state = 'queued' WHERE a.kid = w.account_kid
    LIMIT ${webhook_waiting_of_customer}::integer) AS shared))`
/** Whether one more message may wait for the webhook `w`. */
export const hasRoom = sql<boolean>`(${room} > 0)`

/** @throws webhook_full */
export async function assertRoomToWait({ db }: Deps, webhook_kid: string): Promise<void> {
  const { rows } = await sql`SELECT FROM webhook w WHERE w.kid = ${webhook_kid} AND NOT ${hasRoom}`.execute(db)
  if (rows.length > 0) refuse('webhook_full')
}

/**
 * Rows for those webhooks that are still there: what was known of them may be a second old. What has no room is counted
 * by its webhook instead.
 */
const insertDeliveries = (db: Pick<Kysely<Tables>, 'with'>, deliveries: Delivery[], at: Date) =>
  db
    .with(
      'listening',
      // In one order, as below.
      () => sql<{ kid: string; account_kid: string; room: number }>`(
        SELECT w.kid, w.account_kid, ${room} AS room FROM webhook w
        WHERE w.is_enabled AND w.kid = ANY (${[...new Set(deliveries.map(({ webhook_kid }) => webhook_kid))]}::uuid[])
        ORDER BY w.kid FOR KEY SHARE OF w)`,
    )
    .with(
      'heard',
      () => sql<Delivery & { account_kid: string; has_room: boolean }>`(
        SELECT d.*, w.account_kid, row_number() OVER (PARTITION BY w.kid ORDER BY d.kid) <= w.room AS has_room
        FROM ${records(deliveries).as('d(kid uuid, webhook_kid uuid, event text, payload text)')}
        JOIN listening w ON w.kid = d.webhook_kid)`,
    )
    .with(
      'left_out',
      // In one order: two that leave out something of the same webhooks would wait for each other.
      () => sql<{ kid: string }>`(
        UPDATE webhook SET left_out_at = ${at}::timestamptz,
          left_out = left_out + (
            SELECT count(*) FROM heard WHERE heard.webhook_kid = webhook.kid AND NOT heard.has_room)
        WHERE kid IN (
          SELECT w.kid FROM webhook w WHERE w.kid IN (SELECT webhook_kid FROM heard WHERE NOT has_room)
          ORDER BY w.kid FOR NO KEY UPDATE)
        RETURNING kid)`,
    )
    .insertInto('webhook_delivery')
    .columns(['kid', 'account_kid', 'webhook_kid', 'event', 'payload', 'next_at', 'created_at'])
    .expression(
      sql`SELECT kid, account_kid, webhook_kid, event, payload, ${at}::timestamptz, ${at}::timestamptz
        FROM heard WHERE has_room`,
    )

/**
 * Stores messages for the webhooks of an account and of the provider, and begins to send them; within a transaction whoever
 * has committed it wakes the sender. Answers how many of the account's own webhooks that is.
 */
export async function queueMessages(
  deps: Deps,
  account_kid: string,
  messages: readonly TimelyMessage[],
): Promise<number> {
  const hooks = await hooksOf(deps, account_kid)
  const stored = await store(
    deps,
    messages.flatMap((message) => deliveriesOf(hooks, [message.event], () => message)),
  )
  const own = new Set(hooks.filter((hook) => hook.account_kid === account_kid).map(({ kid }) => kid))
  return new Set(stored.filter((kid) => own.has(kid))).size
}

/** The same for single webhooks, where each hears at a time of its own. */
export const queueForHooks = (deps: Deps, told: readonly { webhook_kid: string; message: TimelyMessage }[]) =>
  store(
    deps,
    told.map(({ webhook_kid, message: { event, payload } }) => ({ kid: newKid(), webhook_kid, event, payload })),
  )

/** Answers the webhooks that a delivery was stored for. */
async function store(deps: Deps, deliveries: Delivery[]): Promise<string[]> {
  if (deliveries.length === 0) return []
  const stored = await insertDeliveries(deps.db, deliveries, deps.clock.now()).returning('webhook_kid').execute()
  if (!deps.db.isTransaction) wake(deps, webhookDeliveries)
  return stored.map(({ webhook_kid }) => webhook_kid)
}

/** Runs the statement that records an operation; what webhooks hear of it is stored by the same statement. */
export async function recordHeard(deps: Deps, operation: RecordedOperation, write: LogWrite): Promise<void> {
  const deliveries = await heardOf(deps, operation)
  if (deliveries.length === 0) return void (await write.execute())
  const { db } = deps
  await insertDeliveries(
    db.with('recorded', () => write.returning('kid')),
    deliveries,
    operation.created_at,
  ).execute()
  wake(deps, webhookDeliveries)
}

/** What webhooks hear of a recorded write, the entry of the log first. */
function eventsOf({ call, input, result }: RecordedOperation): WebhookEvent[] {
  const told = result === 1 ? call.tells : call.tells_refused
  const event = typeof told === 'function' ? told(input) : told
  return ['operation_log', ...(event ? [event] : [])]
}

async function heardOf(deps: Deps, operation: RecordedOperation): Promise<Delivery[]> {
  const events = eventsOf(operation)
  const concerned = events.includes('user.sign_in_failed') ? await withAccount(deps.db, operation) : operation
  const hooks = await hooksOf(deps, concerned.account_kid)
  return deliveriesOf(hooks, events, (event) => operationMessage(concerned, event))
}

/** Whoever fails to sign in is nobody yet, but the account of that name wants to know. */
async function withAccount(db: Kysely<Tables>, operation: RecordedOperation): Promise<RecordedOperation> {
  if (operation.account_kid !== null || operation.operator_username === '') return operation
  const account = await db
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(['a.kid as account_kid', 'a.name as account_name'])
    .where(sql`lower(u.username)`, '=', operation.operator_username.toLowerCase())
    .executeTakeFirst()
  return { ...operation, ...account }
}
