import { implement } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import * as apps from './service.ts'

export const terminalAppCalls = implement('terminalApp', {
  list: (input, ctx) => apps.list(ctx, input.terminal_kid),
  async uninstall(input, ctx) {
    await brake(ctx, { act: 'uninstall_app', devices: 1 })
    await apps.uninstall(ctx, input)
    ctx.track('terminal', input.terminal_kid, 'uninstalled', { app: input.package })
    return {}
  },
  async set_permission(input, ctx) {
    await apps.setPermission(ctx, input)
    ctx.track('terminal', input.terminal_kid, 'permission_set', {
      app: input.package,
      permission: input.permission,
      state: [input.state],
    })
    return {}
  },
})
