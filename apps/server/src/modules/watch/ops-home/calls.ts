import { implement } from '../../../http/context.ts'
import * as home from './service.ts'

export const opsHomeCalls = implement('opsHome', {
  overview: (_input, ctx) => home.overview(ctx),
})
