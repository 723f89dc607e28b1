import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import { belonging } from '../account/service.ts'
import { granterOf } from '../role/service.ts'
import * as people from './service.ts'

type Calls = Contract['userAccount']['calls']

/** What is the same for both: they differ in whose people they are, and in what one has to say about them. */
function handlers(type: 3 | 101, accountOf: (ctx: Ctx) => string) {
  const circleOf = async (ctx: Ctx): Promise<people.Circle> => {
    const account_kid = accountOf(ctx)
    const granter = await granterOf(ctx.deps, ctx.session, account_kid)
    return { deps: ctx.deps, scope: ctx.deps.scope(account_kid), granter, type }
  }
  return {
    paging: async (input: In<Calls['paging']>, ctx: Ctx) => people.paging(await circleOf(ctx), input),
    get: async ({ kid }: In<Calls['get']>, ctx: Ctx) => ({
      ...(await people.get(await circleOf(ctx), kid)),
      ...(await belonging(ctx.deps.db, accountOf(ctx))),
    }),
    exists: (input: In<Calls['exists']>, ctx: Ctx) =>
      people.taken(ctx.deps, ctx.session, input, sql`(u.account_kid = ${accountOf(ctx)} AND u.type = ${type})`),
    list_role: async (_input: unknown, ctx: Ctx) => people.listRole(await circleOf(ctx)),
    async insert(input: people.Draft<In<Calls['insert']>>, ctx: Ctx) {
      const user = await people.insert(await circleOf(ctx), input)
      ctx.track('user_account', user.kid, 'created', { name: input.username })
      return user
    },
    async update(input: people.Draft<In<Calls['update']>>, ctx: Ctx) {
      const done = await people.update(await circleOf(ctx), input)
      const name = done.username
      const parts = [...(done.has_new_roles ? (['roles'] as const) : []), ...(done.has_new_password ? (['password'] as const) : [])] // prettier-ignore
      if (parts.length === 0) ctx.track('user_account', input.kid, 'changed', { name })
      else ctx.track('user_account', input.kid, 'parts_changed', { name, parts })
      return {}
    },
    async set_status(input: In<Calls['set_status']>, ctx: Ctx) {
      const { username } = await people.setStatus(await circleOf(ctx), input)
      const change = input.status === 'invalid' ? 'person_disabled' : 'person_enabled'
      ctx.track('user_account', input.kid, change, { name: username })
      return {}
    },
    async reset_totp({ kid }: In<Calls['reset_totp']>, ctx: Ctx) {
      const { username } = await people.resetTotp(await circleOf(ctx), kid)
      ctx.track('user_account', kid, 'totp_off_of', { name: username })
      return {}
    },
    async delete({ kid }: In<Calls['delete']>, ctx: Ctx) {
      const { username } = await people.remove(await circleOf(ctx), kid)
      ctx.track('user_account', kid, 'deleted', { name: username })
      return {}
    },
  }
}

/** Persons of the account acted for. */
export const userAccountCalls = implement('userAccount', {
  ...handlers(3, (ctx) => ctx.account_kid),
  inventory: (_input, ctx) => people.inventory(ctx.scope, ctx.account_kid),
})
/** The provider's own people, whomever the caller has entered. */
export const opsInsideUserCalls = implement(
  'opsInsideUser',
  handlers(101, (ctx) => ctx.session.own_account_kid),
)
