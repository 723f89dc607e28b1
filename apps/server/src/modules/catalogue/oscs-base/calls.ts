import { implement } from '../../../http/context.ts'
import * as bases from './bases.ts'
import { downloadFile, retryFile } from './files.ts'
import * as models from './models.ts'

export const opsOscsModelCalls = implement('opsOscsModel', {
  paging: (input, ctx) => models.paging(ctx, input, ctx.request.language),
  get: ({ kid }, ctx) => models.get(ctx, kid, ctx.request.language),
  list_uid: (input, ctx) => models.listUid(ctx, input),
  async insert(input, ctx) {
    const kid = await models.insert(ctx, input)
    ctx.track('oscs_model', kid, 'created', { name: input.code })
    return { kid }
  },
  async update(input, ctx) {
    ctx.track('oscs_model', input.kid, 'changed', { name: await models.update(ctx, input) })
    return {}
  },
  async delete({ kid }, ctx) {
    ctx.track('oscs_model', kid, 'deleted', { name: await models.remove(ctx, kid) })
    return {}
  },
  async download_file({ kid }, ctx) {
    const { url, of, name } = await downloadFile(ctx, kid, true)
    ctx.track('oscs_model', of, 'downloaded', { name })
    return { url }
  },
  async retry_file({ kid }, ctx) {
    const { of, name } = await retryFile(ctx, kid, true)
    ctx.track('oscs_model', of, 'oscs_file_retried', { name })
    return {}
  },
})

export const opsOscsBaseCalls = implement('opsOscsBase', {
  paging: (input, ctx) => bases.paging(ctx, input, ctx.request.language),
  get: ({ kid }, ctx) => bases.get(ctx, kid, ctx.request.language),
  async insert(input, ctx) {
    const kid = await bases.insert(ctx, input)
    ctx.track('oscs_base', kid, 'created', { name: input.base_os_version })
    return { kid }
  },
  async update(input, ctx) {
    ctx.track('oscs_base', input.kid, 'changed', { name: await bases.update(ctx, input) })
    return {}
  },
  async delete({ kid }, ctx) {
    ctx.track('oscs_base', kid, 'deleted', { name: await bases.remove(ctx, kid) })
    return {}
  },
  async download_file({ kid }, ctx) {
    const { url, of, name } = await downloadFile(ctx, kid, false)
    ctx.track('oscs_base', of, 'downloaded', { name })
    return { url }
  },
  async retry_file({ kid }, ctx) {
    const { of, name } = await retryFile(ctx, kid, false)
    ctx.track('oscs_base', of, 'oscs_file_retried', { name })
    return {}
  },
})
