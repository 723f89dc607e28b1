import { implement } from '../../../http/context.ts'
import * as templates from './service.ts'

export const pushTemplateCalls = implement('pushTemplate', {
  list: (_input, ctx) => templates.list(ctx),
  async insert(input, ctx) {
    const row = await templates.insert(ctx, input)
    ctx.track('push_template', row.kid, 'created', { name: row.name })
    return row
  },
  async delete({ kid }, ctx) {
    const { name } = await templates.remove(ctx, kid)
    ctx.track('push_template', kid, 'deleted', { name })
    return {}
  },
})
