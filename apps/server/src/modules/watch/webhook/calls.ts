import { assertWhole, wholeAccount } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx, Handlers } from '../../../http/context.ts'
import * as webhooks from './index.ts'

/** Both groups do the same; only whose webhooks they are differs. */
const callsOf = (whose: (ctx: Omit<Ctx, 'fail'>) => Actor): Handlers<'webhook'> & Handlers<'opsWebhook'> => ({
  list: async (_input, ctx) => (await webhooks.list(whose(ctx))) as Awaited<ReturnType<Handlers<'webhook'>['list']>>,
  async insert(input, ctx) {
    const made = await webhooks.add(whose(ctx), input, ctx.request.language)
    ctx.track('webhook', made.kid, 'created', { name: input.name })
    return made
  },
  async update(input, ctx) {
    await webhooks.change(whose(ctx), input, ctx.request.language)
    ctx.track('webhook', input.kid, 'changed', { name: input.name })
    return {}
  },
  async renew_secret({ kid }, ctx) {
    const { name, secret } = await webhooks.renewSecret(whose(ctx), kid)
    ctx.track('webhook', kid, 'secret_renewed', { name })
    return { secret }
  },
  async delete({ kid }, ctx) {
    const { name } = await webhooks.remove(whose(ctx), kid)
    ctx.track('webhook', kid, 'deleted', { name })
    return {}
  },
  async ping({ kid }, ctx) {
    const delivery_kid = await webhooks.ping(whose(ctx), kid)
    ctx.track('webhook_delivery', delivery_kid, 'test_queued')
    return { delivery_kid }
  },
  paging_delivery: async (input, ctx) =>
    (await webhooks.pageDeliveries(whose(ctx), input)) as Awaited<ReturnType<Handlers<'webhook'>['paging_delivery']>>,
  async redeliver({ kid }, ctx) {
    const delivery_kid = await webhooks.redeliver(whose(ctx), kid)
    ctx.track('webhook_delivery', delivery_kid, 'queued_again', { kid })
    return { delivery_kid }
  },
})

const ofAccount = callsOf((ctx) => {
  assertWhole(ctx)
  return ctx
})
/** They hear of every device of the account, and what they heard can be read: who is limited to groups has none. */
export const webhookCalls = implement('webhook', {
  ...ofAccount,
  list: async (input, ctx) => (ctx.visible_groups ? [] : ofAccount.list(input, ctx)),
})
/** The webhooks of the provider's own account hear everything. */
export const opsWebhookCalls = implement(
  'opsWebhook',
  callsOf((ctx) => wholeAccount(ctx, ctx.session.own_account_kid)),
)
