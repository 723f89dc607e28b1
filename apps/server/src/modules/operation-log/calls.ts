import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as operations from './service.ts'

const ofAccount = ({ account_kid, session: { user_kid, group_kids } }: Pick<Ctx, 'account_kid' | 'session'>) => ({
  account_kid,
  limited: group_kids && { user_kid, account_kid, group_kids },
})

export const operationLogCalls = implement('operationLog', {
  paging: (input, ctx) => operations.paging(ctx.deps, ofAccount(ctx), input, ctx.request.language),
  list_operator: (input, ctx) =>
    ctx.session.group_kids
      ? operations.listVisibleOperators(ctx.deps.db, ofAccount(ctx), input)
      : operations.listOperators(ctx.scope, input),
  get: ({ kid }, ctx) => operations.get(ctx.deps.db, ofAccount(ctx), kid, ctx.request.language),
})

export const opsOperationLogCalls = implement('opsOperationLog', {
  paging: (input, ctx) => operations.paging(ctx.deps, 'everything', input, ctx.request.language),
  list_operator: (input, ctx) => operations.listOperators(ctx.deps.db, input),
  get: ({ kid }, ctx) => operations.get(ctx.deps.db, 'everything', kid, ctx.request.language),
})
