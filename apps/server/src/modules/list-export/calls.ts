import { implement } from '../../http/context.ts'
import * as exports from './service.ts'

export const listExportCalls = implement('listExport', {
  async insert(input, ctx) {
    const { kid, url } = await exports.prepare(ctx, input, ctx.request.language)
    ctx.track('list_export', kid, `${input.path} as ${input.format}`)
    return { url }
  },
})
