import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import * as fields from './service.ts'

/** Without the limits of a user's groups: a field that is deleted leaves every device of the account. */
const owner = ({ deps, account_kid }: Pick<Ctx, 'deps' | 'account_kid'>): fields.Owner => ({
  deps,
  account_kid,
  scope: deps.scope(account_kid),
})

export const customFieldCalls = implement('customField', {
  list: (_input, ctx) => fields.list(ctx.scope),
  async insert(input, ctx) {
    const field = await fields.insert(owner(ctx), input)
    ctx.track('custom_field', field.kid, 'created', { name: field.name })
    return field
  },
  async update(input, ctx) {
    const field = await fields.update(owner(ctx), input)
    ctx.track('custom_field', field.kid, 'changed', { name: field.name })
    return field
  },
  async move(input, ctx) {
    const order = await fields.move(owner(ctx), input)
    ctx.track('custom_field', input.kid, 'moved_to_place', { place: input.position })
    return order
  },
  async delete({ kid }, ctx) {
    const { name } = await fields.remove(owner(ctx), kid)
    ctx.track('custom_field', kid, 'deleted', { name })
    return {}
  },
})
