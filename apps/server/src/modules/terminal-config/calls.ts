import { configSectionKeys } from '@mdm/contract'
import type { ChangeSaid } from '@mdm/contract'
import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as drifting from './drift.ts'
import * as edits from './edit.ts'
import * as history from './history.ts'
import * as platform from './platform.ts'
import type { Place } from './places.ts'
import * as configs from './service.ts'

function trackPlace(ctx: Pick<Ctx, 'track' | 'account_kid'>, place: Place, ...said: ChangeSaid): void {
  if (place.terminal_kid) ctx.track('terminal', place.terminal_kid, ...said)
  else if (place.terminal_group_kid) ctx.track('terminal_group', place.terminal_group_kid, ...said)
  else ctx.track('account', ctx.account_kid, ...said)
}

export const terminalConfigCalls = implement('terminalConfig', {
  get: (input, ctx) => configs.get(ctx, input),
  current: ({ type, ...place }, ctx) => configs.current(ctx, { ...place, types: String(type) }),
  current_config: (input, ctx) => configs.current(ctx, input),
  other_info: (input, ctx) => history.otherInfo(ctx, input),
  paging: (input, ctx) => history.paging(ctx, input),
  async save(input, ctx) {
    await edits.save(ctx, input)
    const given = configSectionKeys.filter((key) => input[key] !== undefined)
    trackPlace(ctx, input, 'configured', { sections: given })
    return {}
  },
  async reset(input, ctx) {
    const changed = await edits.reset(ctx, input)
    trackPlace(ctx, input, 'reset', { sections: input.sections ?? configSectionKeys })
    return { reset: changed.length }
  },
  async copy(input, ctx) {
    const { sections, places } = await edits.copy(ctx, input)
    trackPlace(ctx, input, 'config_copied', { sections, places })
    return { copied: sections.length, places }
  },
  affected: (input, ctx) => edits.affected(ctx, input),
  change_paging: (input, ctx) => history.changePaging(ctx, input),
  change_get: ({ kid }, ctx) => history.changeGet(ctx, kid),
  async revert({ kid }, ctx) {
    const { changed, version, place } = await edits.revert(ctx, kid)
    trackPlace(ctx, place, 'config_reverted', { version, sections: changed })
    return { sections: changed }
  },
  get_statistical_result: (input, ctx) => drifting.statistics(ctx, input),
  drift: (input, ctx) => drifting.drift(ctx, input),
  async retry(input, ctx) {
    const devices = await drifting.retry(ctx, input)
    ctx.track('account', ctx.account_kid, 'configs_sent_again', { count: devices })
    return { devices }
  },
})

export const opsTerminalConfigCalls = implement('opsTerminalConfig', {
  get: (_input, ctx) => platform.get(ctx),
  get_config: (input, ctx) => platform.getConfig(ctx, input),
  async save(input, ctx) {
    await platform.save(ctx, input)
    const given = configSectionKeys.filter((key) => input[key] !== undefined)
    ctx.track('account', ctx.account_kid, 'configured', { sections: given })
    return {}
  },
  async reset(input, ctx) {
    const changed = await platform.reset(ctx, input)
    ctx.track('account', ctx.account_kid, 'reset', { sections: input.sections ?? configSectionKeys })
    return { reset: changed.length }
  },
})
