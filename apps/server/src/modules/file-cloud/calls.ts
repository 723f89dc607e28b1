import { implement } from '../../http/context.ts'
import * as files from './service.ts'

export const fileCloudCalls = implement('fileCloud', {
  paging: (input, ctx) => files.paging(ctx.deps, ctx.scope, input),
  async insert(input, ctx) {
    const file = await files.insert(ctx.deps, ctx.scope, ctx.session, input)
    ctx.track('file_cloud', file.kid, 'added', { name: file.name })
    ctx.deps.live.publish(ctx.account_kid, { type: 'file_changed' })
    return file
  },
  async delete(input, ctx) {
    const file = await files.remove(ctx.deps, ctx.scope, input.kid)
    ctx.track('file_cloud', file.kid, 'deleted', { name: file.name })
    ctx.deps.live.publish(ctx.account_kid, { type: 'file_changed' })
    return {}
  },
})
