import { implement } from '../../../http/context.ts'
import * as scrapped from './scrapped.ts'
import * as terminals from './service.ts'

export const opsTerminalCalls = implement('opsTerminal', {
  paging: (input, ctx) => terminals.paging(ctx.deps, input),
  paging_scrapped: (input, ctx) => scrapped.paging(ctx.deps, input),
  async restore({ sns }, ctx) {
    const restored = await scrapped.restore(ctx.deps, sns)
    for (const { kid, sn } of restored) ctx.track('scrapped_sn', kid, 'restored', { sn })
    return { restored: restored.length }
  },
})
