import { implement } from '../../../http/context.ts'
import * as locations from './index.ts'

export const terminalLocationCalls = implement('terminalLocation', {
  list: (input, ctx) => locations.list(ctx, input),
  extent: (input, ctx) => locations.extent(ctx, input),
  tiles: async (_input, ctx) => ctx.deps.config.tiles,
  get: (input, ctx) => locations.get(ctx, input.terminal_kid),
  list_track: (input, ctx) => locations.listTrack(ctx, input),
  async refresh(input, ctx) {
    const position = await locations.refresh(ctx, input.terminal_kid)
    ctx.track('terminal', input.terminal_kid, 'located')
    return position
  },
})
