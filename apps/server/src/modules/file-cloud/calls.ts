import { implement } from '../../http/context.ts'
import * as files from './service.ts'

export const fileCloudCalls = implement('fileCloud', {
  paging: (input, ctx) => files.paging(ctx, input),
  async insert(input, ctx) {
    const file = await files.insert(ctx, input)
    ctx.track('file_cloud', file.kid, 'added', { name: file.name })
    ctx.deps.live.publish(ctx.account_kid, { type: 'file_changed' })
    return file
  },
  async delete(input, ctx) {
    const file = await files.remove(ctx, input.kid)
    ctx.track('file_cloud', file.kid, 'deleted', { name: file.name })
    ctx.deps.live.publish(ctx.account_kid, { type: 'file_changed' })
    return {}
  },
})
