import { implement } from '../../../http/context.ts'
import * as groups from './service.ts'

export const terminalDynamicGroupCalls = implement('terminalDynamicGroup', {
  list: (input, ctx) => groups.list(ctx, input.with_counts),
  async insert(input, ctx) {
    const group = await groups.insert(ctx, input)
    ctx.track('terminal_dynamic_group', group.kid, 'created', { name: group.name })
    return group
  },
  async update(input, ctx) {
    const group = await groups.update(ctx, input)
    ctx.track('terminal_dynamic_group', group.kid, 'changed', { name: group.name })
    return group
  },
  async delete({ kid }, ctx) {
    const { name } = await groups.remove(ctx, kid)
    ctx.track('terminal_dynamic_group', kid, 'deleted', { name })
    return {}
  },
})
