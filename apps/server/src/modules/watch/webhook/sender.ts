import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { unseal } from '../../../lib/sealed.ts'
import { AddressRefused, checkedAddress, systemResolve } from '../../../lib/address.ts'
import type { Resolve } from '../../../lib/address.ts'
import { post } from './post.ts'
import { signedHeaders } from './signature.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Between one try and the next; after the last of them it is given up. */
const retry_after = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour]
const at_once = 8
/** Of one account: a receiver that answers slowly must not keep the others from hearing. */
const at_once_of_account = 4
/** Longer than a try takes: after that another server believes the one that began it dead. */
const lease_ms = minute
const gone = 410

export type Sending = { resolve: Resolve; timeout_ms: number }
const usual: Sending = { resolve: systemResolve, timeout_ms: 10 * second }

type Claimed = {
  kid: string
  account_kid: string
  webhook_kid: string
  event: string
  payload: string
  attempts: number
  next_at: Date
  url: string
  secret: string
  is_enabled: boolean
}
/** Without a duration nothing was tried. */
type Outcome = { response_status: number | null; error: string | null; duration_ms: number | null }

/** Sends everything that is due and returns when nothing is. What other servers are sending is left to them. */
export async function sendDue(deps: Deps, sending: Partial<Sending> = {}): Promise<void> {
  const running = new Map<Promise<void>, string>()
  for (;;) {
    while (running.size < at_once) {
      const claimed = await claim(deps, busyAccounts(running))
      if (!claimed) break
      const run = sendOne(deps, claimed, { ...usual, ...sending }).finally(() => running.delete(run))
      running.set(run, claimed.account_kid)
    }
    if (running.size === 0) return
    await Promise.race(running.keys())
  }
}

const busyAccounts = (running: Map<unknown, string>): string[] => {
  const accounts = [...running.values()]
  return accounts.filter((kid) => accounts.filter((other) => other === kid).length >= at_once_of_account)
}

/** Takes one that is due. It comes again when its lease ends, should this server not live to note what became of it. */
async function claim(deps: Deps, busy: string[]): Promise<Claimed | undefined> {
  const now = deps.clock.now()
  const lease = new Date(now.getTime() + lease_ms)
  const { rows } = await sql<Claimed>`
    UPDATE webhook_delivery d SET attempts = d.attempts + 1, next_at = ${lease}
    FROM webhook w WHERE w.kid = d.webhook_kid AND d.kid = (
      SELECT kid FROM webhook_delivery
      WHERE next_at <= ${now} AND state = 'queued' AND account_kid <> ALL(${busy}::uuid[])
      ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING d.kid, d.account_kid, d.webhook_kid, d.event, d.payload, d.attempts, d.next_at, w.url, w.secret, w.is_enabled
  `.execute(deps.db)
  return rows[0]
}

/** Never throws: others are being sent beside it, and its lease brings it again. */
async function sendOne(deps: Deps, claimed: Claimed, sending: Sending): Promise<void> {
  try {
    if (!claimed.is_enabled && claimed.event !== 'ping')
      return await finish(deps, claimed, { response_status: null, error: 'the webhook is disabled', duration_ms: null })
    await finish(deps, claimed, await tryOnce(deps, claimed, sending))
  } catch (error) {
    deps.log.warn({ err: error, delivery_kid: claimed.kid }, 'a webhook delivery could not be noted')
  }
}

async function tryOnce(deps: Deps, { url, secret, payload }: Claimed, sending: Sending): Promise<Outcome> {
  const started = performance.now()
  const signal = AbortSignal.timeout(sending.timeout_ms)
  const took = () => Math.round(performance.now() - started)
  const key = await unseal(deps, secret)
  try {
    const target = await beforeAbort(checkedAddress(deps.config.webhook_allow, url, sending.resolve), signal)
    const { id } = JSON.parse(payload) as { id: string }
    const headers = { 'user-agent': 'MDM-Webhook', ...signedHeaders(key, id, deps.clock.now(), payload) }
    const status = await post(target, headers, payload, signal)
    const error = isSuccess(status) ? null : `answered ${status}`
    return { response_status: status, error, duration_ms: took() }
  } catch (error) {
    return { response_status: null, error: signal.aborted ? 'no answer in time' : reasonOf(error), duration_ms: took() }
  }
}
const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300
const reasonOf = (error: unknown): string =>
  error instanceof AddressRefused
    ? error.message
    : String((error as NodeJS.ErrnoException).code ?? (error as Error).message).slice(0, 200)

const beforeAbort = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  ])

/** Notes what became of a try, unless its lease ended meanwhile and it is somebody else's by now. */
async function finish(deps: Deps, claimed: Claimed, outcome: Outcome): Promise<void> {
  const now = deps.clock.now()
  const is_delivered = isSuccess(outcome.response_status)
  const is_gone = outcome.response_status === gone
  const wait = is_gone || !claimed.is_enabled ? undefined : retry_after[claimed.attempts - 1]
  const state = is_delivered ? 'delivered' : wait === undefined ? 'failed' : 'queued'
  const noted = await deps.db
    .updateTable('webhook_delivery')
    .set({
      ...outcome,
      state,
      next_at: state === 'queued' ? new Date(now.getTime() + wait!) : null,
      delivered_at: is_delivered ? now : null,
    })
    .where('kid', '=', claimed.kid)
    .where('state', '=', 'queued')
    .where('next_at', '=', claimed.next_at)
    .executeTakeFirst()
  if (noted.numUpdatedRows === 0n || outcome.duration_ms === null) return
  await deps.db
    .updateTable('webhook')
    .set((eb) => ({
      failing_since: is_delivered ? null : eb.fn.coalesce('failing_since', sql<Date>`${now}::timestamptz`),
      ...(is_gone ? { is_enabled: false } : {}),
    }))
    .where('kid', '=', claimed.webhook_kid)
    // Where all is well nothing is written, however much is sent.
    .$if(is_delivered, (q) => q.where('failing_since', 'is not', null))
    .execute()
}

/** Sends what is due in the background. */
export const webhookDeliveries: SharedWork = {
  name: 'webhooks',
  every_ms: 5 * second,
  at_once: 1,
  run: (deps) => sendDue(deps),
}
