import { sql } from 'kysely'
import { implement } from '../../../http/context.ts'
import { wake } from '../../../lib/background.ts'
import { mails } from '../mail/index.ts'
import { granterOf, listGrantable } from '../role/index.ts'
import { taken } from '../user-account/index.ts'
import * as subAccounts from './service.ts'

export const subAccountCalls = implement('subAccount', {
  paging: (input, ctx) => subAccounts.paging(ctx, input),
  get: ({ kid }, ctx) => subAccounts.get(ctx, kid),
  list_grantable: async (_input, ctx) => listGrantable(await granterOf(ctx, ctx.account_kid), [1]),
  exists: (input, ctx) =>
    taken(
      ctx,
      input,
      sql`(u.type = 2 AND u.account_kid IN (SELECT a.kid FROM account a WHERE a.parent_kid = ${ctx.account_kid}))`,
    ),
  async insert(input, ctx) {
    const made = await subAccounts.insert(ctx, input)
    ctx.track('account', made.kid, 'created', { name: input.name })
    ctx.track('user_account', made.user_kid, 'created', { name: input.username })
    if (made.invitation) ctx.track('user_account', made.user_kid, 'invited', { name: input.username })
    wake(ctx.deps, mails)
    return made
  },
  async invite({ kid }, ctx) {
    const { kid: user_kid, username, invitation } = await subAccounts.invite(ctx, kid)
    ctx.track('user_account', user_kid, 'invited', { name: username })
    wake(ctx.deps, mails)
    return invitation
  },
  async update(input, ctx) {
    for (const said of await subAccounts.update(ctx, input)) ctx.track('account', input.kid, ...said)
    return {}
  },
  async set_status(input, ctx) {
    await subAccounts.setStatus(ctx, input)
    ctx.track('account', input.kid, input.status === 'invalid' ? 'disabled' : 'enabled')
    return {}
  },
  async delete({ kid }, ctx) {
    ctx.track('account', kid, 'deleted', { name: await subAccounts.remove(ctx, kid) })
    return {}
  },
})
