import { windowSaid } from '@mdm/contract'
import { implement } from '../../../http/context.ts'
import * as windows from './service.ts'

export const maintenanceWindowCalls = implement('maintenanceWindow', {
  list: (_input, ctx) => windows.list(ctx),
  async insert(input, ctx) {
    const row = await windows.insert(ctx, input)
    ctx.track('maintenance_window', row.kid, 'created', { name: row.name })
    return row
  },
  async update(input, ctx) {
    const { before, row } = await windows.update(ctx, input)
    const [was, is] = [windowSaid(before), windowSaid(row)]
    ctx.track('maintenance_window', row.kid, 'field_changed', { field: before.name, before: was, after: is })
    return row
  },
  async delete({ kid }, ctx) {
    const { name } = await windows.remove(ctx, kid)
    ctx.track('maintenance_window', kid, 'deleted', { name })
    return {}
  },
})
