import { sql } from 'kysely'
import { implement } from '../../../http/context.ts'
import { wake } from '../../../lib/background.ts'
import { mails } from '../mail/index.ts'
import { granterOf, listGrantable } from '../role/index.ts'
import { taken } from '../user-account/index.ts'
import * as customers from './index.ts'

export const opsAccountCalls = implement('opsAccount', {
  paging: (input, ctx) => customers.paging(ctx.deps, input),
  get: ({ kid }, ctx) => customers.get(ctx.deps, kid),
  exists: (input, ctx) => taken(ctx, input, sql`u.type IN (1, 2)`),
  // What a customer may be given is of the customer's side.
  list_grantable: async (_input, ctx) => listGrantable(await granterOf(ctx, ctx.session.own_account_kid), [1]),
  list_fae: (_input, ctx) => customers.listFae(ctx.deps),
  async insert(input, ctx) {
    const made = await customers.insert(ctx, input)
    ctx.track('account', made.kid, 'created', { name: input.name })
    ctx.track('user_account', made.user_kid, 'created', { name: input.username })
    if (made.invitation) ctx.track('user_account', made.user_kid, 'invited', { name: input.username })
    wake(ctx.deps, mails)
    return made
  },
  async invite({ kid }, ctx) {
    const {
      kid: user_kid,
      username,
      invitation,
    } = await customers.inviteAgain(ctx, await customers.assertCustomer(ctx.deps, kid))
    ctx.track('user_account', user_kid, 'invited', { name: username })
    wake(ctx.deps, mails)
    return invitation
  },
  async update(input, ctx) {
    for (const said of await customers.update(ctx, input)) ctx.track('account', input.kid, ...said)
    return {}
  },
  async set_status(input, ctx) {
    await customers.setStatus(ctx.deps, input)
    ctx.track('account', input.kid, input.status === 'invalid' ? 'disabled' : 'enabled')
    return {}
  },
  async renew(input, ctx) {
    await customers.renew(ctx.deps, input)
    if (input.expire_time === null) ctx.track('account', input.kid, 'until_further_notice')
    else ctx.track('account', input.kid, 'until', { time: input.expire_time })
    if (input.terminal_max !== undefined) ctx.track('account', input.kid, 'places_set', { count: input.terminal_max })
    return {}
  },
  async reset_totp({ kid }, ctx) {
    ctx.track('user_account', await customers.resetTotp(ctx, kid), 'totp_off')
    return {}
  },
  async enter({ kid }, ctx) {
    const entered = await customers.enter(ctx, kid)
    ctx.track('account', kid, 'entered', { name: entered.enter_name })
    return entered
  },
  async leave(_input, ctx) {
    const { enter_kid } = ctx.session
    await customers.leave(ctx)
    if (enter_kid) ctx.track('account', enter_kid, 'left', { name: ctx.session.account_name })
    return {}
  },
  get_elements: (input, ctx) => customers.getElements(ctx.deps, input),
})
