import { implement } from '../../../http/context.ts'
import * as exports from './index.ts'

export const terminalExportCalls = implement('terminalExport', {
  async export(input, ctx) {
    const row = await exports.start(ctx, input, ctx.request.language)
    const { format } = input
    if (input.match) ctx.track('terminal_export', row.kid, 'matches_exported', { format })
    else ctx.track('terminal_export', row.kid, 'devices_exported', { count: input.terminal_kids!.length, format })
    return exports.shown(row)
  },
  list_export_schedule: async (_, ctx) => (await exports.recent(ctx)).map(exports.shown),
  async cancel_export_schedule({ schedule_version }, ctx) {
    const row = await exports.cancel(ctx, schedule_version)
    ctx.track('terminal_export', row.kid, 'canceled_after', { done: row.done, total: row.total })
    return {}
  },
  download_export: ({ schedule_version }, ctx) => exports.fileOf(ctx, schedule_version),
})
