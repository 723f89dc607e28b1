import { pushFactsOf } from '@mdm/contract'
import { implement } from '../../../http/context.ts'
import { getSetting, saveSetting } from '../../people/brakes/index.ts'
import * as tasks from './index.ts'

export const pushTaskCalls = implement('pushTask', {
  paging: (input, ctx) => tasks.paging(ctx, input),
  get: (input, ctx) => tasks.detail(ctx, input.kid),
  list_creators: (_input, ctx) => tasks.listCreators(ctx),
  paging_left_out: (input, ctx) => tasks.pagingLeftOut(ctx, input),
  preview: (input, ctx) => tasks.preview(ctx, input),
  get_preview: (input, ctx) => tasks.previewOf(ctx, input.preview_kid),
  paging_preview: (input, ctx) => tasks.pagingPreview(ctx, input),
  get_setting: (_input, ctx) => getSetting(ctx),
  paging_terminal: (input, ctx) => tasks.pagingTerminal(ctx, input),
  list_activity: (input, ctx) => tasks.listActivity(ctx, input),
  async insert(input, ctx) {
    const row = await tasks.insert(ctx, input)
    ctx.track('push_task', row.kid, 'push_made', { push: pushFactsOf(row) })
    return row
  },
  get_planned: (input, ctx) => tasks.planned(ctx, input.kid),
  async update(input, ctx) {
    const { row, difference } = await tasks.update(ctx, input)
    ctx.track('push_task', row.kid, 'push_changed', { difference })
    return row
  },
  async move(input, ctx) {
    const { row, difference } = await tasks.move(ctx, input)
    ctx.track('push_task', row.kid, 'push_changed', { difference })
    return row
  },
  async cancel(input, ctx) {
    const done = await tasks.cancel(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_canceled', { canceled: done.canceled, asked: done.asked })
    return done
  },
  async pause(input, ctx) {
    await tasks.pause(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_paused')
    return {}
  },
  async resume(input, ctx) {
    await tasks.resume(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_resumed')
    return {}
  },
  async approve(input, ctx) {
    await tasks.approve(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_approved')
    return {}
  },
  async reject(input, ctx) {
    await tasks.reject(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_rejected')
    return {}
  },
  async save_setting(input, ctx) {
    await saveSetting(ctx, input)
    ctx.track('account', ctx.account_kid, 'push_approval_changed', { from: input.approval_from ?? 0 })
    return {}
  },
  async retry(input, ctx) {
    const done = await tasks.retry(ctx, input)
    ctx.track('push_task', input.push_task_kid, 'push_retried', { count: done.retried + done.rest })
    return done
  },
})
