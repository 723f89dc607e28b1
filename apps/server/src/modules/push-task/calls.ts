import { implement } from '../../http/context.ts'
import * as tasks from './service.ts'

export const pushTaskCalls = implement('pushTask', {
  paging: (input, ctx) => tasks.paging(ctx, input),
  get: (input, ctx) => tasks.get(ctx, input.kid),
  paging_terminal: (input, ctx) => tasks.pagingTerminal(ctx, input),
  list_activity: (input, ctx) => tasks.listActivity(ctx, input),
  async insert(input, ctx) {
    const row = await tasks.insert(ctx, input)
    ctx.track('push_task', row.kid, 'pushed', { type: [row.type], count: row.counts.total })
    return row
  },
  async cancel(input, ctx) {
    const done = await tasks.cancel(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_canceled', { canceled: done.canceled, asked: done.asked })
    return done
  },
  async retry(input, ctx) {
    const done = await tasks.retry(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_retried', { count: done.retried })
    return done
  },
})
