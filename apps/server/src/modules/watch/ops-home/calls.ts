import { implement } from '../../../http/context.ts'
import * as home from './service.ts'
import { serverStatus } from './status.ts'

export const opsHomeCalls = implement('opsHome', {
  overview: (_input, ctx) => home.overview(ctx),
  status: (_input, ctx) => serverStatus(ctx),
})
