import { implement } from '../../../http/context.ts'
import * as tasks from './service.ts'

export const opsOperationTaskCalls = implement('opsOperationTask', {
  paging: (input, ctx) => tasks.paging(ctx.deps, input),
  get: ({ kid }, ctx) => tasks.get(ctx.deps, kid, ctx.request.language),
  async cancel({ kid }, ctx) {
    const { table, name } = await tasks.act(ctx, 'cancel', kid, ctx.request.language)
    ctx.track(table, kid, 'canceled', { name })
    return {}
  },
  async retry({ kid }, ctx) {
    const { table, name } = await tasks.act(ctx, 'retry', kid, ctx.request.language)
    ctx.track(table, kid, 'retried', { name })
    return {}
  },
  result: async ({ kid }, ctx) => (await tasks.act(ctx, 'result', kid, ctx.request.language)).done,
  async download({ kid }, ctx) {
    const { table, name, done } = await tasks.act(ctx, 'download', kid, ctx.request.language)
    ctx.track(table, kid, 'downloaded', { name })
    return { url: done.url }
  },
})
