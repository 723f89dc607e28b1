import { implement } from '../../http/context.ts'
import * as terminals from './service.ts'

export const opsTerminalCalls = implement('opsTerminal', {
  paging: (input, ctx) => terminals.paging(ctx.deps, input),
})
