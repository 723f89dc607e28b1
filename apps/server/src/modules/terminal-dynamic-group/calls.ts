import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as groups from './service.ts'

const caller = ({ deps, scope, account_kid, session }: Pick<Ctx, 'deps' | 'scope' | 'account_kid' | 'session'>) => ({
  deps,
  scope,
  account_kid,
  reach: session.group_kids,
})

export const terminalDynamicGroupCalls = implement('terminalDynamicGroup', {
  list: (input, ctx) => groups.list(caller(ctx), input.with_counts),
  async insert(input, ctx) {
    const group = await groups.insert(caller(ctx), input)
    ctx.track('terminal_dynamic_group', group.kid, 'created', { name: group.name })
    return group
  },
  async update(input, ctx) {
    const group = await groups.update(caller(ctx), input)
    ctx.track('terminal_dynamic_group', group.kid, 'changed', { name: group.name })
    return group
  },
  async delete({ kid }, ctx) {
    const { name } = await groups.remove(caller(ctx), kid)
    ctx.track('terminal_dynamic_group', kid, 'deleted', { name })
    return {}
  },
})
