import { configSectionKeys } from '@mdm/contract'
import type { ChangeSaid } from '@mdm/contract'
import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as configs from './service.ts'
import type { Place } from './places.ts'

function trackPlace(ctx: Pick<Ctx, 'track' | 'account_kid'>, place: Place, ...said: ChangeSaid): void {
  if (place.terminal_kid) ctx.track('terminal', place.terminal_kid, ...said)
  else if (place.terminal_group_kid) ctx.track('terminal_group', place.terminal_group_kid, ...said)
  else ctx.track('account', ctx.account_kid, ...said)
}

export const terminalConfigCalls = implement('terminalConfig', {
  get: (input, ctx) => configs.get(ctx, input),
  current_config: (input, ctx) => configs.current(ctx, input),
  async save(input, ctx) {
    await configs.save(ctx, input)
    const given = configSectionKeys.filter((key) => input[key] !== undefined)
    trackPlace(ctx, input, 'configured', { sections: given })
    return {}
  },
  async reset(input, ctx) {
    const reset = await configs.reset(ctx, input)
    trackPlace(ctx, input, 'reset', { sections: input.sections ?? configSectionKeys })
    return { reset }
  },
})
