import { sql } from 'kysely'
import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import { granterOf, listGrantable } from '../role/service.ts'
import { taken } from '../user-account/service.ts'
import * as subAccounts from './service.ts'

const parentOf = ({ deps, session, account_kid }: Pick<Ctx, 'deps' | 'session' | 'account_kid'>) => ({
  deps,
  session,
  account_kid,
})

export const subAccountCalls = implement('subAccount', {
  paging: (input, ctx) => subAccounts.paging(parentOf(ctx), input),
  get: ({ kid }, ctx) => subAccounts.get(parentOf(ctx), kid),
  async list_grantable(_input, { deps, session, account_kid }) {
    const granter = await granterOf(deps, session, account_kid)
    return listGrantable({ deps, scope: deps.scope(account_kid), granter }, [1])
  },
  exists: (input, ctx) =>
    taken(
      ctx.deps,
      ctx.session,
      input,
      sql`(u.type = 2 AND u.account_kid IN (SELECT a.kid FROM account a WHERE a.parent_kid = ${ctx.account_kid}))`,
    ),
  async insert(input, ctx) {
    const made = await subAccounts.insert(parentOf(ctx), input)
    ctx.track('account', made.kid, 'created', { name: input.name })
    ctx.track('user_account', made.user_kid, 'created', { name: input.username })
    return made
  },
  async update(input, ctx) {
    for (const said of await subAccounts.update(parentOf(ctx), input)) ctx.track('account', input.kid, ...said)
    return {}
  },
  async set_status(input, ctx) {
    await subAccounts.setStatus(parentOf(ctx), input)
    ctx.track('account', input.kid, input.status === 'invalid' ? 'disabled' : 'enabled')
    return {}
  },
  async delete({ kid }, ctx) {
    ctx.track('account', kid, 'deleted', { name: await subAccounts.remove(parentOf(ctx), kid) })
    return {}
  },
})
