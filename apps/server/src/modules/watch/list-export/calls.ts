import { implement } from '../../../http/context.ts'
import * as exports from './service.ts'

export const listExportCalls = implement('listExport', {
  async insert(input, ctx) {
    const { kid, url } = await exports.prepare(ctx, input, ctx.request.language)
    ctx.track('list_export', kid, 'list_exported', { path: input.path, format: input.format })
    return { url }
  },
})
