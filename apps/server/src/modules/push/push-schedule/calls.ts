import { implement } from '../../../http/context.ts'
import * as schedules from './index.ts'

export const pushScheduleCalls = implement('pushSchedule', {
  list: (_input, ctx) => schedules.list(ctx),
  next_runs: async (input, { deps }) => schedules.nextRuns(input, deps.clock.now(), input.count),
  async insert(input, ctx) {
    const row = await schedules.insert(ctx, input)
    ctx.track('push_schedule', row.kid, 'push_scheduled', { type: [row.type], cron: row.cron, zone: row.zone })
    return row
  },
  async update(input, ctx) {
    const row = await schedules.update(ctx, input)
    ctx.track('push_schedule', row.kid, 'push_scheduled', { type: [row.type], cron: row.cron, zone: row.zone })
    return row
  },
  async delete({ kid }, ctx) {
    const { name } = await schedules.remove(ctx, kid)
    ctx.track('push_schedule', kid, 'deleted', { name })
    return {}
  },
})
