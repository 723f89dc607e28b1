import { implement } from '../../../http/context.ts'
import * as fields from './service.ts'

export const customFieldCalls = implement('customField', {
  list: (_input, ctx) => fields.list(ctx.scope),
  async insert(input, ctx) {
    const field = await fields.insert(ctx, input)
    ctx.track('custom_field', field.kid, 'created', { name: field.name })
    return field
  },
  async update(input, ctx) {
    const field = await fields.update(ctx, input)
    ctx.track('custom_field', field.kid, 'changed', { name: field.name })
    return field
  },
  async move(input, ctx) {
    const order = await fields.move(ctx, input)
    ctx.track('custom_field', input.kid, 'moved_to_place', { place: input.position })
    return order
  },
  async delete({ kid }, ctx) {
    const { name } = await fields.remove(ctx, kid)
    ctx.track('custom_field', kid, 'deleted', { name })
    return {}
  },
})
