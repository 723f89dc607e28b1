import { implement } from '../../../http/context.ts'
import * as lost from './index.ts'

export const terminalLostCalls = implement('terminalLost', {
  get: ({ terminal_kid }, ctx) => lost.stateOf(ctx, terminal_kid),
  async start(input, ctx) {
    const { sn, is_new } = await lost.start(ctx, input)
    ctx.track('terminal', input.terminal_kid, is_new ? 'marked_lost' : 'lost_changed', { sn })
    return {}
  },
  async stop_ring({ terminal_kid }, ctx) {
    const { sn } = await lost.stopRing(ctx, terminal_kid)
    ctx.track('terminal', terminal_kid, 'lost_ring_stopped', { sn })
    return {}
  },
  async wipe({ terminal_kid }, ctx) {
    const { sn } = await lost.wipe(ctx, terminal_kid)
    ctx.track('terminal', terminal_kid, 'lost_wiped', { sn })
    return {}
  },
  async found({ terminal_kid }, ctx) {
    const done = await lost.found(ctx, terminal_kid)
    if (done) ctx.track('terminal', terminal_kid, 'found_again', { sn: done.sn })
    return { canceled: done?.canceled ?? 0 }
  },
})
