import { implement } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import * as fences from './index.ts'

export const electronicFenceCalls = implement('electronicFence', {
  paging: (input, ctx) => fences.paging(ctx, input),
  get: ({ kid }, ctx) => fences.get(ctx, kid),
  async insert(input, ctx) {
    const made = await fences.insert(ctx, input)
    ctx.track('electronic_fence', made.kid, 'created', { name: input.name })
    return made
  },
  async update(input, ctx) {
    await brake(ctx, { act: 'change_fence', ...(await fences.hitByUpdate(ctx, input)) })
    const { name } = await fences.update(ctx, input)
    ctx.track('electronic_fence', input.kid, 'changed', { name })
    return {}
  },
  async delete({ kid }, ctx) {
    await brake(ctx, { act: 'change_fence', ...(await fences.hitByRemoval(ctx, kid)) })
    const { name } = await fences.remove(ctx, kid)
    ctx.track('electronic_fence', kid, 'deleted', { name })
    return {}
  },
  list_places: ({ kid }, ctx) => fences.listPlaces(ctx, kid),
  async save_places(input, ctx) {
    const { fence_kid, places } = input
    await brake(ctx, { act: 'change_fence', ...(await fences.hitByPlaces(ctx, input)) })
    await fences.savePlaces(ctx, input)
    const count = places.length
    if (fence_kid === null) ctx.track('account', ctx.account_kid, 'fence_closed', { count })
    else ctx.track('electronic_fence', fence_kid, 'fence_set', { count })
    return {}
  },
  async reset_places(input, ctx) {
    await brake(ctx, { act: 'change_fence', ...(await fences.hitByReset(ctx, input.places)) })
    const reset = await fences.resetPlaces(ctx, input.places)
    ctx.track('account', ctx.account_kid, 'fence_reset', { count: input.places.length })
    return { reset }
  },
  paging_event: (input, ctx) => fences.pagingEvent(ctx, input),
  current: ({ terminal_kid }, ctx) => fences.current(ctx, terminal_kid),
  find_place: (input, ctx) => fences.findPlace(ctx, input.text, ctx.request.language),
})
