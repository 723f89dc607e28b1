import { implement } from '../../http/context.ts'
import * as customers from './customers.ts'
import { ownOrBelow } from './quota.ts'
import * as account from './service.ts'

export const accountCalls = implement('account', {
  info: (_input, ctx) => account.info(ctx.deps.db, ctx.session.user_kid),
  async save_preferences(input, ctx) {
    await account.savePreferences(ctx.deps, ctx.session.user_kid, input)
    ctx.track('user_account', ctx.session.user_kid, `preferences: ${Object.keys(input).join(', ')}`)
    return {}
  },
  async check_inventory({ parent_kid, src_kid, num }, ctx) {
    const { db } = ctx.deps
    const parent = parent_kid && (await ownOrBelow(db, ctx.account_kid, parent_kid))
    const source = src_kid && (await ownOrBelow(db, ctx.account_kid, src_kid))
    const quota = parent
      ? await account.quotaOf(db, parent, source)
      : await account.quotaOf(db, source ?? ctx.account_kid)
    return { ...quota, is_enough: quota.remaining >= num }
  },
})

export const opsAccountCalls = implement('opsAccount', {
  paging: (input, ctx) => customers.paging(ctx.deps, input),
  async enter({ kid }, ctx) {
    const entered = await customers.enter(ctx.deps, ctx.session, kid)
    ctx.track('account', kid, `entered ${entered.enter_name}`)
    return entered
  },
  async leave(_input, ctx) {
    const { enter_kid } = ctx.session
    await customers.leave(ctx.deps, ctx.session)
    if (enter_kid) ctx.track('account', enter_kid, `left ${ctx.session.account_name}`)
    return {}
  },
})
