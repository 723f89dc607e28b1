import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import * as roles from './index.ts'

/** One set of handlers for both: they differ in whose roles they are and in what can be granted to them. */
function handlers(accountOf: (ctx: Ctx) => string, sides: readonly (1 | 2)[]) {
  const granterOf = (ctx: Ctx): Promise<roles.Granter> => roles.granterOf(ctx, accountOf(ctx))
  return implement('role', {
    list: async (_input, ctx) => roles.list(await granterOf(ctx)),
    get: async ({ kid }, ctx) => roles.get(await granterOf(ctx), kid),
    list_grantable: async (_input, ctx) => roles.listGrantable(await granterOf(ctx), sides),
    exists: async (input, ctx) => ({ exists: await roles.exists(await granterOf(ctx), input) }),
    async insert(input, ctx) {
      const role = await roles.insert(await granterOf(ctx), input)
      ctx.track('role', role.kid, 'role_created', { code: input.code, count: input.permissions.length })
      return role
    },
    async update(input, ctx) {
      await roles.update(await granterOf(ctx), input)
      ctx.track('role', input.kid, 'role_changed', { code: input.code, weight: input.weight })
      return {}
    },
    async save_permissions(input, ctx) {
      const { code, added, removed } = await roles.savePermissions(await granterOf(ctx), input)
      const changes = [...added.map((name) => `+${name}`), ...removed.map((name) => `-${name}`)]
      if (changes.length === 0) ctx.track('role', input.kid, 'permissions_kept', { code })
      else ctx.track('role', input.kid, 'permissions_changed', { code, names: changes.join(', ') })
      return {}
    },
    async delete({ kid }, ctx) {
      const role = await roles.remove(await granterOf(ctx), kid)
      ctx.track('role', kid, 'deleted', { name: role.code })
      return {}
    },
  })
}

/** Roles of the account acted for. */
export const roleCalls = handlers((ctx) => ctx.account_kid, [1])
/** Roles of the provider's own people, whomever the caller has entered. */
export const opsRoleCalls = implement(
  'opsRole',
  handlers((ctx) => ctx.session.own_account_kid, [1, 2]),
)
