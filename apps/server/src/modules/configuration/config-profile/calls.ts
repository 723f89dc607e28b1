import { implement } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import * as profiles from './service.ts'

export const configProfileCalls = implement('configProfile', {
  paging: (input, ctx) => profiles.paging(ctx, input),
  get: ({ kid }, ctx) => profiles.get(ctx, kid),
  async insert(input, ctx) {
    const kid = await profiles.insert(ctx, input)
    ctx.track('config_profile', kid, 'created', { name: input.name })
    return { kid }
  },
  async update(input, ctx) {
    await profiles.update(ctx, input)
    ctx.track('config_profile', input.kid, 'renamed_to', { name: input.name })
    return {}
  },
  async delete({ kid }, ctx) {
    const { name } = await profiles.remove(ctx, kid)
    ctx.track('config_profile', kid, 'deleted', { name })
    return {}
  },
  list_uses: ({ kid }, ctx) => profiles.listUses(ctx, kid),
  use_affected: (input, ctx) => profiles.useAffected(ctx, input),
  async add_use(input, ctx) {
    await brake(ctx, { act: 'use_profile', ...(await profiles.hitByUse(ctx, input)) })
    const name = await profiles.addUse(ctx, input)
    ctx.track('config_profile', input.profile_kid, 'profile_used', { name })
    return {}
  },
  async remove_use(input, ctx) {
    await brake(ctx, { act: 'use_profile', ...(await profiles.hitByEnd(ctx, input)) })
    const name = await profiles.removeUse(ctx, input)
    ctx.track('config_profile', input.profile_kid, 'profile_left', { name })
    return {}
  },
})
