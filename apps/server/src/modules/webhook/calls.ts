import { implement } from '../../http/context.ts'
import type { Ctx, Handlers } from '../../http/context.ts'
import * as webhooks from './service.ts'
import type { Owner } from './service.ts'

/** Both groups do the same; only whose webhooks they are differs. */
const callsOf = (ownerOf: (ctx: Omit<Ctx, 'fail'>) => Owner): Handlers<'webhook'> & Handlers<'opsWebhook'> => ({
  list: async (_input, ctx) => (await webhooks.list(ownerOf(ctx))) as Awaited<ReturnType<Handlers<'webhook'>['list']>>,
  async insert(input, ctx) {
    const made = await webhooks.add(ownerOf(ctx), input)
    ctx.track('webhook', made.kid, 'created', { name: input.name })
    return made
  },
  async update(input, ctx) {
    await webhooks.change(ownerOf(ctx), input)
    ctx.track('webhook', input.kid, 'changed', { name: input.name })
    return {}
  },
  async renew_secret({ kid }, ctx) {
    const { name, secret } = await webhooks.renewSecret(ownerOf(ctx), kid)
    ctx.track('webhook', kid, 'secret_renewed', { name })
    return { secret }
  },
  async delete({ kid }, ctx) {
    const { name } = await webhooks.remove(ownerOf(ctx), kid)
    ctx.track('webhook', kid, 'deleted', { name })
    return {}
  },
  async ping({ kid }, ctx) {
    const delivery_kid = await webhooks.ping(ownerOf(ctx), kid)
    ctx.track('webhook_delivery', delivery_kid, 'test_queued')
    return { delivery_kid }
  },
  paging_delivery: async (input, ctx) =>
    (await webhooks.pageDeliveries(ownerOf(ctx), input)) as Awaited<ReturnType<Handlers<'webhook'>['paging_delivery']>>,
  async redeliver({ kid }, ctx) {
    const delivery_kid = await webhooks.redeliver(ownerOf(ctx), kid)
    ctx.track('webhook_delivery', delivery_kid, 'queued_again', { kid })
    return { delivery_kid }
  },
})

export const webhookCalls = implement(
  'webhook',
  callsOf(({ deps, scope, account_kid, request }) => ({ deps, scope, account_kid, language: request.language })),
)
/** The webhooks of the provider's own account hear everything. */
export const opsWebhookCalls = implement(
  'opsWebhook',
  callsOf(({ deps, session, request }) => ({
    deps,
    scope: deps.scope(session.own_account_kid),
    account_kid: session.own_account_kid,
    language: request.language,
  })),
)
