import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as exports from './service.ts'

/** A user limited to groups has only their own: others may name devices out of reach. */
const owned = ({ scope, session }: Pick<Ctx, 'scope' | 'session'>): exports.Owned => ({
  db: scope,
  only_by: session.group_kids && session.user_kid,
})

export const terminalExportCalls = implement('terminalExport', {
  async export(input, ctx) {
    const row = await exports.start(ctx.deps, ctx.session, input, ctx.request.language)
    const { format } = input
    if (input.match) ctx.track('terminal_export', row.kid, 'matches_exported', { format })
    else ctx.track('terminal_export', row.kid, 'devices_exported', { count: input.terminal_kids!.length, format })
    return exports.shown(row)
  },
  list_export_schedule: async (_, ctx) => (await exports.recent(ctx.deps, owned(ctx))).map(exports.shown),
  async cancel_export_schedule({ schedule_version }, ctx) {
    const row = await exports.cancel(ctx.deps, owned(ctx), schedule_version)
    ctx.track('terminal_export', row.kid, 'canceled_after', { done: row.done, total: row.total })
    return {}
  },
  download_export: ({ schedule_version }, ctx) => exports.fileOf(ctx.deps, owned(ctx), schedule_version),
})
