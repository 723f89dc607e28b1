import { implement } from '../../../http/context.ts'
import * as authorisations from './index.ts'

export const opsOsMdmApiCalls = implement('opsOsMdmApi', {
  paging: (input, ctx) => authorisations.paging(ctx.deps, input),
  get: ({ kid }, ctx) => authorisations.get(ctx.deps, kid),
  list_uid: ({ text }, ctx) => authorisations.listUids(ctx.deps, text),
  inspect_package: ({ upload_kid }, ctx) => authorisations.inspect(ctx, upload_kid),
  async insert(input, ctx) {
    const row = await authorisations.insert(ctx, input)
    ctx.track('api_authorisation', row.kid, 'created', { name: row.package })
    return row
  },
  async update(input, ctx) {
    const row = await authorisations.update(ctx, input)
    ctx.track('api_authorisation', row.kid, 'changed', { name: row.package })
    return row
  },
  async delete({ kid }, ctx) {
    const name = await authorisations.remove(ctx, kid)
    ctx.track('api_authorisation', kid, 'deleted', { name })
    return {}
  },
  paging_refused: (input, ctx) => authorisations.pagingRefused(ctx.deps, input),
})
