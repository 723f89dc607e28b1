import { implement } from '../../../http/context.ts'
import * as logs from './index.ts'

export const terminalLogCalls = implement('terminalLog', {
  async ask({ terminal_kid }, ctx) {
    const transfer = await logs.ask(ctx, terminal_kid)
    ctx.track('device_transfer', transfer.kid, 'log_asked', { terminal: terminal_kid })
    return transfer
  },
  paging: (input, ctx) => logs.pagingTransfers(ctx, input, 'logs'),
})
