import { implement } from '../../../http/context.ts'
import * as files from './index.ts'

export const terminalFileCalls = implement('terminalFile', {
  list: (input, ctx) => files.list(ctx, input),
  async make_folder(input, ctx) {
    await files.makeFolder(ctx, input)
    ctx.track('terminal', input.terminal_kid, 'folder_made', { name: input.name, path: input.path })
    return {}
  },
  async rename(input, ctx) {
    await files.rename(ctx, input)
    ctx.track('terminal', input.terminal_kid, 'renamed', { from: input.path, to: input.name })
    return {}
  },
  async delete(input, ctx) {
    await files.remove(ctx, input)
    ctx.track('terminal', input.terminal_kid, 'deleted', { name: input.path })
    return {}
  },
  async download(input, ctx) {
    const transfer = await files.download(ctx, input)
    ctx.track('device_transfer', transfer.kid, 'file_asked', { path: input.path })
    return transfer
  },
  async upload(input, ctx) {
    const transfer = await files.upload(ctx, input)
    ctx.track('device_transfer', transfer.kid, 'file_sent', { path: transfer.path })
    return transfer
  },
  paging: (input, ctx) => files.pagingTransfers(ctx, input, 'files'),
  async cancel(input, ctx) {
    const transfer = await files.cancel(ctx, input)
    ctx.track('device_transfer', transfer.kid, 'canceled', { name: transfer.path })
    return transfer
  },
})
