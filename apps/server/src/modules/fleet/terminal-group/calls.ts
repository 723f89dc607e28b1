import { implement } from '../../../http/context.ts'
import type { Actor } from '../../../actor.ts'
import { brake } from '../../people/brakes/index.ts'
import type { Hit } from '../../people/brakes/index.ts'
import * as groups from './index.ts'

/** Of devices that come below something else by it. Configurations know them, which stand on groups. */
type Hits = {
  move(actor: Actor, kid: string, parent_kid: string): Promise<Hit>
  remove(actor: Actor, kid: string): Promise<Hit>
}

export const terminalGroupCalls = (hits: Hits) =>
  implement('terminalGroup', {
    list: (input, ctx) => groups.list(ctx, input),
    list_with_child: (input, ctx) => groups.listWithChild(ctx, input.parent_kid),
    get: (input, ctx) => groups.get(ctx, input.kid),
    exists: async (input, ctx) => ({ exists: await groups.exists(ctx, input) }),
    async insert(input, ctx) {
      const group = await groups.insert(ctx, input)
      ctx.track('terminal_group', group.kid, 'created', { name: group.name })
      return group
    },
    async update(input, ctx) {
      const group = await groups.update(ctx, input)
      ctx.track('terminal_group', group.kid, 'renamed_to', { name: group.name })
      return group
    },
    async move(input, ctx) {
      await brake(ctx, { act: 'move_group', ...(await hits.move(ctx, input.kid, input.target_parent_kid)) })
      const group = await groups.move(ctx, input)
      ctx.track('terminal_group', group.kid, 'moved', {
        name: group.name,
        to: input.target_parent_kid === 'ROOT' ? ['root'] : input.target_parent_kid,
      })
      return group
    },
    async delete(input, ctx) {
      await brake(ctx, { act: 'delete_group', ...(await hits.remove(ctx, input.kid)) })
      const group = await groups.remove(ctx, input.kid)
      ctx.track('terminal_group', group.kid, 'deleted', { name: group.name })
      return {}
    },
  })

export const terminalGroupUserManagedCalls = implement('terminalGroupUserManaged', {
  async list_group_kid(input, ctx) {
    const user = await ctx.scope
      .selectFrom('user_account')
      .select('kid')
      .where('kid', '=', input.user_kid)
      .executeTakeFirst()
    if (!user) return ctx.fail('not_found')
    const group_kids = await groups.managedBy(ctx, user.kid)
    return { is_limited: group_kids.length > 0, group_kids }
  },
})
