import { implement } from '../../../http/context.ts'
import * as operations from './service.ts'

export const operationLogCalls = implement('operationLog', {
  paging: (input, ctx) => operations.paging(ctx, 'account', input),
  list_operator: (input, ctx) => operations.listOperators(ctx, 'account', input),
  get: ({ kid }, ctx) => operations.get(ctx, 'account', kid),
})

export const opsOperationLogCalls = implement('opsOperationLog', {
  paging: (input, ctx) => operations.paging(ctx, 'everything', input),
  list_operator: (input, ctx) => operations.listOperators(ctx, 'everything', input),
  get: ({ kid }, ctx) => operations.get(ctx, 'everything', kid),
})
