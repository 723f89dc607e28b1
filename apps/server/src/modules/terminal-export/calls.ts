import { implement } from '../../http/context.ts'
import * as exports from './service.ts'

export const terminalExportCalls = implement('terminalExport', {
  async export(input, ctx) {
    const row = await exports.start(ctx, input, ctx.request.language)
    const which = input.match ? 'devices that match' : `${input.terminal_kids!.length} named devices`
    ctx.track('terminal_export', row.kid, `${which}, as ${input.format}`)
    return exports.shown(row)
  },
  list_export_schedule: async (_, ctx) => (await exports.recent(ctx)).map(exports.shown),
  async cancel_export_schedule({ schedule_version }, ctx) {
    const row = await exports.cancel(ctx, schedule_version)
    ctx.track('terminal_export', row.kid, `canceled after ${row.done} of ${row.total}`)
    return {}
  },
  download_export: ({ schedule_version }, ctx) => exports.fileOf(ctx, schedule_version),
})
