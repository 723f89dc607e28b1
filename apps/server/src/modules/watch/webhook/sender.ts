import { sql } from 'kysely'
import { ClaimLost, TryLater, withClaim } from '../../../db/claim.ts'
import type { Claim } from '../../../db/claim.ts'
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
const at_once = 12
/** Of a customer and its sub-accounts: receivers that answer slowly must not keep others from hearing. */
const at_once_of_customer = 3
const gone = 410

export type Sending = { resolve: Resolve; timeout_ms: number }
const usual: Sending = { resolve: systemResolve, timeout_ms: 10 * second }

type Delivery = Claim<'webhook_delivery'>
type Hook = { url: string; secret: string; is_enabled: boolean }
/** Without a duration nothing was tried. */
type Outcome = { response_status: number | null; error: string | null; duration_ms: number | null }

/** Sends everything that is due and returns when nothing is. What other servers are sending is left to them. */
export async function sendDue(deps: Deps, sending: Partial<Sending> = {}): Promise<void> {
  const lanes = new Set<Promise<void>>()
  let fault: unknown
  const run = async () => {
    while (await sendNext(deps, { ...usual, ...sending }, begin));
  }
  // Each that finds something lets one more look.
  function begin(): void {
    if (lanes.size >= at_once) return
    const lane: Promise<void> = run()
      .catch((error: unknown) => void (fault ??= error))
      .finally(() => lanes.delete(lane))
    lanes.add(lane)
  }
  begin()
  while (lanes.size > 0) await Promise.race(lanes)
  if (fault !== undefined) throw fault as Error
}

/** False when nothing is due, but for customers for whom enough is being sent. */
function sendNext(deps: Deps, sending: Sending, begun: () => void): Promise<boolean> {
  const wanted = {
    states: ['queued'],
    order: sql`r.next_at NULLS FIRST`,
    at_once_of_customer,
    set: sql`attempts = r.attempts + 1`,
  }
  return withClaim(deps, 'webhook_delivery', wanted, async (delivery) => {
    begun()
    const { row } = delivery
    try {
      const hook = await deps.db
        .selectFrom('webhook')
        .select(['url', 'secret', 'is_enabled'])
        .where('kid', '=', row.webhook_kid)
        .executeTakeFirst()
      // A webhook takes its deliveries with it.
      if (!hook) return
      const outcome =
        hook.is_enabled || row.event === 'ping'
          ? await tryOnce(deps, hook, row.payload, sending)
          : { response_status: null, error: 'the webhook is disabled', duration_ms: null }
      await finish(deps, delivery, hook, outcome)
    } catch (error) {
      if (error instanceof ClaimLost) throw error
      deps.log.warn({ err: error, delivery_kid: row.kid }, 'a webhook delivery could not be noted')
      throw new TryLater()
    }
  })
}

async function tryOnce(deps: Deps, { url, secret }: Hook, payload: string, sending: Sending): Promise<Outcome> {
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

/** Notes what became of a try, unless it is somebody else's by now. */
async function finish(deps: Deps, { row, set }: Delivery, { is_enabled }: Hook, outcome: Outcome): Promise<void> {
  const now = deps.clock.now()
  const is_delivered = isSuccess(outcome.response_status)
  const is_gone = outcome.response_status === gone
  const wait = is_gone || !is_enabled ? undefined : retry_after[row.attempts - 1]
  const state = is_delivered ? 'delivered' : wait === undefined ? 'failed' : 'queued'
  await set({
    ...outcome,
    state,
    worked_by: null,
    next_at: state === 'queued' ? new Date(now.getTime() + wait!) : null,
    delivered_at: is_delivered ? now : null,
  })
  if (outcome.duration_ms === null) return
  await deps.db
    .updateTable('webhook')
    .set((eb) => ({
      failing_since: is_delivered ? null : eb.fn.coalesce('failing_since', sql<Date>`${now}::timestamptz`),
      ...(is_gone ? { is_enabled: false } : {}),
    }))
    .where('kid', '=', row.webhook_kid)
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
