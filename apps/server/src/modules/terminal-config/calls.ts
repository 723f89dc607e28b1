import { configSectionKeys } from '@mdm/contract'
import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as configs from './service.ts'
import type { Place } from './places.ts'

function trackPlace(ctx: Pick<Ctx, 'track' | 'account_kid'>, place: Place, change: string): void {
  if (place.terminal_kid) ctx.track('terminal', place.terminal_kid, change)
  else if (place.terminal_group_kid) ctx.track('terminal_group', place.terminal_group_kid, change)
  else ctx.track('account', ctx.account_kid, change)
}

export const terminalConfigCalls = implement('terminalConfig', {
  get: (input, ctx) => configs.get(ctx, input),
  current_config: (input, ctx) => configs.current(ctx, input),
  async save(input, ctx) {
    await configs.save(ctx, input)
    const given = configSectionKeys.filter((key) => input[key] !== undefined)
    trackPlace(ctx, input, `configured ${given.join(', ')}`)
    return {}
  },
  async reset(input, ctx) {
    const reset = await configs.reset(ctx, input)
    trackPlace(ctx, input, `reset ${(input.sections ?? configSectionKeys).join(', ')}`)
    return { reset }
  },
})
