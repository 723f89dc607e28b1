import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { readPage } from '../../../db/paging.ts'
import { refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { find } from './hooks.ts'
import { assertRoomToWait } from './queue.ts'
import { accountMessages } from './messages.ts'
import type { Message } from './messages.ts'
import { webhookDeliveries } from './sender.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['webhook']['calls']

export async function pageDeliveries(actor: Actor, input: In<Calls['paging_delivery']>) {
  await find(actor, input.webhook_kid)
  return readPage({
    query: actor.scope
      .selectFrom('webhook_delivery')
      .select(['kid', 'event', 'state', 'attempts', 'next_at', 'response_status', 'error', 'duration_ms', 'payload'])
      .select(['created_at', 'delivered_at'])
      .where('webhook_kid', '=', input.webhook_kid)
      .$if(input.state !== undefined, (q) => q.where('state', '=', input.state!)),
    input,
    columns: { created_at: { ref: sql`created_at`, order: 'desc' } },
    key: sql`kid`,
  })
}

/** Queues a message that nothing brought about, also while the webhook is switched off. */
export async function ping(actor: Actor, webhook_kid: string): Promise<string> {
  const { name } = await find(actor, webhook_kid)
  const detail = { webhook_kid, webhook_name: name }
  const [message] = await accountMessages(actor.deps, actor.account_kid, [{ event: 'ping', detail }])
  return queue(actor, webhook_kid, message ?? refuse('not_found'))
}

/** Sends the same message once more, with the id that it had: a receiver that did get it can tell. */
export async function redeliver(actor: Actor, kid: string): Promise<string> {
  const sent = await actor.scope
    .selectFrom('webhook_delivery')
    .select(['webhook_kid', 'event', 'payload'])
    .where('kid', '=', kid)
    .executeTakeFirst()
  const { webhook_kid, ...message } = sent ?? refuse('not_found')
  return queue(actor, webhook_kid, message)
}

async function queue(
  { deps, scope, account_kid }: Actor,
  webhook_kid: string,
  { event, payload }: { event: string; payload: Message['payload'] },
): Promise<string> {
  await assertRoomToWait(deps, webhook_kid)
  const kid = newKid()
  const now = deps.clock.now()
  await scope
    .insertInto('webhook_delivery')
    .values({ kid, account_kid, webhook_kid, event, payload, next_at: now, created_at: now })
    .execute()
  wake(deps, webhookDeliveries)
  return kid
}
