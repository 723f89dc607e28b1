import { implement } from '../../http/context.ts'
import * as codes from './service.ts'

export const clientCodeCalls = implement('opsClientCode', {
  paging: (input, ctx) => codes.paging(ctx, input),
  get: (input, ctx) => codes.get(ctx, input.kid),
  exists: async (input, ctx) => ({ exists: (await codes.taken(ctx, input)).length > 0 }),
  async insert(input, ctx) {
    const row = await codes.insert(ctx, input)
    ctx.track('client_code', row.kid, 'created', { name: row.code })
    return row
  },
  async update(input, ctx) {
    const row = await codes.update(ctx, input)
    ctx.track('client_code', row.kid, 'changed_to', { name: row.code })
    return row
  },
  async delete(input, ctx) {
    const row = await codes.remove(ctx, input.kid)
    ctx.track('client_code', row.kid, 'deleted', { name: row.code })
    return {}
  },
})
