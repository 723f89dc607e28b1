import { implement } from '../../../http/context.ts'
import * as uids from './service.ts'

export const opsUidCalls = implement('opsUid', {
  paging: (input, ctx) => uids.paging(ctx.deps, input),
  get: (input, ctx) => uids.get(ctx.deps, input.kid),
  exists: async (input, ctx) => ({ exists: await uids.exists(ctx.deps, input) }),
  list_part: (input, ctx) => uids.listPart(ctx.deps, input),
  explain: (input, ctx) => uids.explain(ctx.deps, input.uid),
  async insert(input, ctx) {
    const row = await uids.insert(ctx.deps, input)
    ctx.track('os_uid', row.kid, 'created', { name: row.code })
    return row
  },
  async update(input, ctx) {
    const row = await uids.update(ctx.deps, input)
    ctx.track('os_uid', row.kid, 'changed_to', { name: row.code })
    return row
  },
  async delete(input, ctx) {
    const row = await uids.remove(ctx.deps, input.kid)
    ctx.track('os_uid', row.kid, 'deleted', { name: row.code })
    return {}
  },
})
