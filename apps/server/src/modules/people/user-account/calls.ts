import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { wake } from '../../../lib/background.ts'
import { mails } from '../mail/index.ts'
import { belonging } from '../account/index.ts'
import { granterOf } from '../role/index.ts'
import * as people from './index.ts'

type Calls = Contract['userAccount']['calls']

/** What is the same for both: they differ in whose people they are, and in what one has to say about them. */
function handlers(type: 3 | 101, accountOf: (ctx: Ctx) => string) {
  const managerOf = async (ctx: Ctx): Promise<people.Manager> => ({ ...(await granterOf(ctx, accountOf(ctx))), type })
  return {
    paging: async (input: In<Calls['paging']>, ctx: Ctx) => people.paging(await managerOf(ctx), input),
    get: async ({ kid }: In<Calls['get']>, ctx: Ctx) => ({
      ...(await people.get(await managerOf(ctx), kid)),
      ...(await belonging(ctx.deps, accountOf(ctx))),
    }),
    exists: (input: In<Calls['exists']>, ctx: Ctx) =>
      people.taken(ctx, input, sql`(u.account_kid = ${accountOf(ctx)} AND u.type = ${type})`),
    list_role: async (_input: unknown, ctx: Ctx) => people.listRole(await managerOf(ctx)),
    async insert(input: people.Draft<In<Calls['insert']>>, ctx: Ctx) {
      const user = await people.insert(await managerOf(ctx), input, ctx.request.language)
      ctx.track('user_account', user.kid, 'created', { name: input.username })
      if (user.invitation) ctx.track('user_account', user.kid, 'invited', { name: input.username })
      wake(ctx.deps, mails)
      return user
    },
    async invite({ kid }: In<Calls['invite']>, ctx: Ctx) {
      const { username, invitation } = await people.inviteAgainTo(await managerOf(ctx), kid, ctx.request.language)
      ctx.track('user_account', kid, 'invited', { name: username })
      wake(ctx.deps, mails)
      return invitation
    },
    async update(input: people.Draft<In<Calls['update']>>, ctx: Ctx) {
      const done = await people.update(await managerOf(ctx), input)
      const name = done.username
      const parts = [
        ...(done.has_new_roles ? (['roles'] as const) : []),
        ...(done.has_new_password ? (['password'] as const) : []),
      ]
      if (parts.length === 0) ctx.track('user_account', input.kid, 'changed', { name })
      else ctx.track('user_account', input.kid, 'parts_changed', { name, parts })
      return {}
    },
    async set_status(input: In<Calls['set_status']>, ctx: Ctx) {
      const { username } = await people.setStatus(await managerOf(ctx), input)
      const change = input.status === 'invalid' ? 'person_disabled' : 'person_enabled'
      ctx.track('user_account', input.kid, change, { name: username })
      return {}
    },
    async reset_totp({ kid }: In<Calls['reset_totp']>, ctx: Ctx) {
      const { username } = await people.resetTotp(await managerOf(ctx), kid)
      ctx.track('user_account', kid, 'totp_off_of', { name: username })
      return {}
    },
    async delete({ kid }: In<Calls['delete']>, ctx: Ctx) {
      const { username } = await people.remove(await managerOf(ctx), kid)
      ctx.track('user_account', kid, 'deleted', { name: username })
      return {}
    },
  }
}

/** Persons of the account acted for. */
export const userAccountCalls = implement('userAccount', {
  ...handlers(3, (ctx) => ctx.account_kid),
  inventory: (_input, ctx) => people.inventory(ctx),
})
/** The provider's own people, whomever the caller has entered. */
export const opsInsideUserCalls = implement(
  'opsInsideUser',
  handlers(101, (ctx) => ctx.session.own_account_kid),
)
