import type { PolicySource } from '@mdm/contract'
import { wholeAccount } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import * as batches from '../terminal-batch/index.ts'
import * as policies from './index.ts'

/** Imports are the provider's, whomever the caller has entered. */
const provider = (ctx: Ctx): Actor => wholeAccount(ctx, ctx.session.own_account_kid)
const importsOf = (ctx: Ctx, policy_kid: string): batches.JobOwner => ({ ...provider(ctx), of: { policy_kid } })

type Asked = {
  importTerminalDtos: batches.Rows
  policyKid: string
  schedule_version: string
}
/** Answers with the result, which grows while the rows are worked off. */
async function start(ctx: Ctx, source: PolicySource, asked: Asked) {
  const { deps, request } = ctx
  const { policyKid: policy_kid, importTerminalDtos: rows, schedule_version } = asked
  await policies.assertThere(deps, policy_kid)
  const job = await batches.startImport(provider(ctx), { kind: `policy_${source}`, policy_kid, rows, schedule_version })
  ctx.track('batch_job', job.kid, 'policy_started', { count: job.total, source: [source], policy: policy_kid })
  return batches.resultFile(deps, job, request)
}

export const opsPolicyCalls = implement('opsPolicy', {
  paging: (input, ctx) => policies.paging(ctx.deps, input),
  exists: async (input, ctx) => ({ exists: await policies.exists(ctx.deps, input) }),
  async insert(input, ctx) {
    const row = await policies.insert(ctx.deps, input)
    ctx.track('policy', row.kid, 'created', { name: row.name })
    return row
  },
  async update(input, ctx) {
    const row = await policies.update(ctx.deps, input)
    ctx.track('policy', row.kid, 'policy_changed', { name: row.name, days: row.days })
    return row
  },
  async delete(input, ctx) {
    const row = await policies.remove(ctx.deps, input.kid)
    ctx.track('policy', row.kid, 'deleted', { name: row.name })
    return {}
  },
  paging_terminal: (input, ctx) => policies.pagingTerminal(ctx.deps, input),
  async delete_terminal({ kids }, ctx) {
    const gone = await policies.removeTerminals(ctx.deps, kids)
    for (const { policy_kid, sn } of gone) ctx.track('policy', policy_kid, 'policy_left', { sn })
    return { deleted: gone.length }
  },
  import_sheet: (input, ctx) => start(ctx, 'sheet', input),
  import_mes: (input, ctx) => start(ctx, 'mes', input),
  get_import_schedule: async ({ policy_kid, schedule_version }, ctx) =>
    batches.shown(await batches.jobOf(importsOf(ctx, policy_kid), schedule_version)),
  list_import: async ({ policy_kid }, ctx) => (await batches.recentJobs(importsOf(ctx, policy_kid))).map(batches.shown),
  async cancel_import({ policy_kid, schedule_version }, ctx) {
    const job = await batches.cancel(importsOf(ctx, policy_kid), schedule_version)
    ctx.track('batch_job', job.kid, 'canceled_after', { done: job.done, total: job.total })
    return {}
  },
  paging_import_row: ({ policy_kid, ...input }, ctx) =>
    batches.pagingRows(ctx.deps, importsOf(ctx, policy_kid), input, ctx.request.language),
  async import_result({ policy_kid, schedule_version, only_failed }, ctx) {
    const job = await batches.jobOf(importsOf(ctx, policy_kid), schedule_version)
    return batches.resultFile(ctx.deps, job, { language: ctx.request.language, only_failed })
  },
  import_template: ({ source }, ctx) => batches.templateFile(`policy_${source}`, ctx.request.language),
  async preview_import(input, ctx) {
    await policies.assertThere(ctx.deps, input.policy_kid)
    return batches.previewImport(ctx, input)
  },
})
