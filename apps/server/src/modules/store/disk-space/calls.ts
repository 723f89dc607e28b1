import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { bytesText } from '../../../lib/bytes.ts'
import * as space from './index.ts'

type Change = { kid: string; account_kid_param: string; disk_space?: number | undefined }
async function update(area: 'file_disk' | 'app_center', input: Change, ctx: Pick<Ctx, 'deps' | 'track'>) {
  const { kid, account_kid_param, disk_space = null } = input
  await space.updateSpace(ctx.deps, area, { kid, account_kid: account_kid_param, disk_space })
  ctx.track('disk_space', input.kid, 'space_set', {
    area: [area],
    account: account_kid_param,
    size: disk_space === null ? '-' : bytesText(disk_space),
  })
  return {}
}

export const opsFileDiskCalls = implement('opsFileDisk', {
  get: (input, ctx) => space.get(ctx.deps, 'file_disk', input.account_kid_param),
  update_space: (input, ctx) => update('file_disk', input, ctx),
})

export const opsAppCenterCalls = implement('opsAppCenter', {
  get: (input, ctx) => space.get(ctx.deps, 'app_center', input.account_kid_param),
  update_space: (input, ctx) => update('app_center', input, ctx),
})

export const opsContentReportCalls = implement('opsContentReport', {
  paging: (input, ctx) => space.pageReport(ctx.deps, input),
  total: (input, ctx) => space.totalReport(ctx.deps, input),
})
