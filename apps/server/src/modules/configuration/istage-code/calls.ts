import { implement } from '../../../http/context.ts'
import * as codes from './codes.ts'
import { pagingScan } from './scans.ts'

export const istageCodeCalls = implement('istageCode', {
  get: ({ kid }, ctx) => codes.get(ctx, kid),
  async make(input, ctx) {
    const { name, code } = await codes.make(ctx, input)
    ctx.track('istage_config', input.kid, 'codes_made', { name, count: code.count })
    return code
  },
  async file(input, ctx) {
    const { name, file } = await codes.file(ctx, input)
    ctx.track('istage_config', input.kid, 'downloaded', { name })
    return file
  },
  async rows(input, ctx) {
    const { name, sheet } = await codes.rows(ctx, input)
    ctx.track('istage_config', input.kid, 'codes_made', { name, count: sheet.rows.length })
    return sheet
  },
  paging_scan: (input, ctx) => pagingScan(ctx, input),
})
