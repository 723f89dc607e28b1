import { implement } from '../../../http/context.ts'
import * as software from './service.ts'

export const softwareCalls = implement('software', {
  paging: (input, ctx) => software.paging(ctx, input),
})
