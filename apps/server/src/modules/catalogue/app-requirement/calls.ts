import { implement } from '../../../http/context.ts'
import * as requirements from './service.ts'

export const appRequirementCalls = implement('appRequirement', {
  list: (input, ctx) => requirements.list(ctx, input),
  async insert(input, ctx) {
    const row = await requirements.insert(ctx, input)
    const { kid, app_name: name, group_name: group } = row
    if (group === null) ctx.track('app_requirement', kid, 'required_of_all', { name })
    else ctx.track('app_requirement', kid, 'required_of', { name, group })
    return row
  },
  async update(input, ctx) {
    const row = await requirements.update(ctx, input)
    ctx.track('app_requirement', row.kid, 'changed', { name: row.app_name })
    return row
  },
  async run({ kid }, ctx) {
    const { name } = await requirements.lookNow(ctx, kid)
    ctx.track('app_requirement', kid, 'required_ran', { name })
    return {}
  },
  async delete({ kid }, ctx) {
    const { name } = await requirements.remove(ctx, kid)
    ctx.track('app_requirement', kid, 'deleted', { name })
    return {}
  },
})
