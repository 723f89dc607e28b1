import { implement } from '../../../http/context.ts'
import * as files from './service.ts'

export const configFileCalls = implement('configFile', {
  paging: (input, ctx) => files.paging(ctx, input),
  async insert(input, ctx) {
    const file = await files.insert(ctx, input)
    ctx.track('config_file', file.kid, 'added', { name: file.name })
    return file
  },
  async download({ kid }, ctx) {
    const { url, name } = await files.download(ctx, kid)
    ctx.track('config_file', kid, 'downloaded', { name })
    return { url }
  },
  async delete({ kid }, ctx) {
    const file = await files.remove(ctx, kid)
    ctx.track('config_file', kid, 'deleted', { name: file.name })
    return {}
  },
})
