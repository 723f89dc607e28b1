import { implement } from '../../../http/context.ts'
import * as reports from './index.ts'

export const listReportCalls = implement('listReport', {
  list: (_input, ctx) => reports.list(ctx),
  async insert(input, ctx) {
    const kid = await reports.insert(ctx, input)
    ctx.track('list_report', kid, 'created', { name: input.name })
    return { kid }
  },
  async update({ kid, ...input }, ctx) {
    const { was, is } = await reports.update(ctx, kid, input)
    if (input.settings) ctx.track('list_report', kid, 'changed', { name: is.name })
    if (is.state !== was.state) ctx.track('list_report', kid, is.state === 'on' ? 'report_resumed' : 'report_paused')
    return {}
  },
  async send_now({ kid }, ctx) {
    await reports.sendNow(ctx, kid)
    ctx.track('list_report', kid, 'report_asked')
    return {}
  },
  async delete({ kid }, ctx) {
    const { name } = await reports.remove(ctx, kid)
    ctx.track('list_report', kid, 'deleted', { name })
    return {}
  },
})
