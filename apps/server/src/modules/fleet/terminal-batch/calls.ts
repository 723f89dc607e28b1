import type { BatchRow } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { wholeAccount } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { assertCustomer } from '../../people/customer/index.ts'
import { assertAccountUsable } from '../enrolment/index.ts'
import { list as listGroups } from '../terminal-group/index.ts'
import * as batches from './index.ts'

/** The provider's operators ask for devices of others, whomever they have entered. */
const provider = (ctx: Ctx): batches.JobOwner => ({ ...wholeAccount(ctx, ctx.session.own_account_kid), of: {} })

type Asked = {
  owner_kid: string
  rows: readonly BatchRow[]
  group: string
  schedule_version: string
  creates_groups: boolean
}
async function start(ctx: Ctx, actor: Actor, asked: Asked) {
  const { job, groups } = await batches.start(actor, asked)
  for (const { kid, name } of groups) ctx.track('terminal_group', kid, 'created', { name })
  ctx.track('batch_job', job.kid, 'sheet_started', { count: job.total, account: actor.account_kid })
  return batches.resultFile(ctx.deps, job, ctx.request)
}

async function cancel(ctx: Ctx, owner: batches.JobOwner, schedule_version: string) {
  const job = await batches.cancel(owner, schedule_version)
  ctx.track('batch_job', job.kid, 'canceled_after', { done: job.done, total: job.total })
  return {}
}

async function result(ctx: Ctx, owner: batches.JobOwner, asked: { schedule_version: string; only_failed: boolean }) {
  const job = await batches.jobOf(owner, asked.schedule_version)
  return batches.resultFile(ctx.deps, job, { language: ctx.request.language, only_failed: asked.only_failed })
}

export const terminalBatchCalls = implement('terminalBatch', {
  batch_registered: ({ terminalDtos: rows, terminalGroupKid: group, schedule_version, creates_groups }, ctx) =>
    start(ctx, ctx, { owner_kid: ctx.account_kid, rows, group, schedule_version, creates_groups }),
  get_batch_registered_schedule: async ({ schedule_version }, ctx) =>
    batches.shown(await batches.jobOf(ctx, schedule_version)),
  list_batch_registered: async (_, ctx) => (await batches.recentJobs(ctx)).map(batches.shown),
  cancel_batch_registered: ({ schedule_version }, ctx) => cancel(ctx, ctx, schedule_version),
  paging_batch_row: (input, ctx) => batches.pagingRows(ctx.deps, ctx, input, ctx.request.language),
  batch_result: (input, ctx) => result(ctx, ctx, input),
  batch_template: (_, ctx) => batches.templateFile('terminal_registered', ctx.request.language),
  preview_batch: (source, ctx) =>
    batches.preview(ctx, { to: ctx, source, creates_groups: ctx.may('deviceList:group') }),
})

/** A customer that can have devices now. */
async function customer(deps: Deps, account_kid: string): Promise<string> {
  await assertCustomer(deps, account_kid)
  await assertAccountUsable(deps, account_kid)
  return account_kid
}

export const opsTerminalBatchCalls = implement('opsTerminalBatch', {
  async account_batch_registered({ accountRegisteredTerminalDtos, terminalGroupKid, schedule_version }, ctx) {
    const account_kid = await customer(ctx.deps, accountRegisteredTerminalDtos[0]!.account_kid)
    const rows = accountRegisteredTerminalDtos.map(({ account_kid: _, ...row }) => row)
    // Groups of a customer are the customer's to create.
    const asked = { owner_kid: ctx.session.own_account_kid, rows, group: terminalGroupKid, creates_groups: false }
    return start(ctx, wholeAccount(ctx, account_kid), { ...asked, schedule_version })
  },
  get_account_batch_registered_schedule: async ({ schedule_version }, ctx) =>
    batches.shown(await batches.jobOf(provider(ctx), schedule_version)),
  cancel_batch_registered: ({ schedule_version }, ctx) => cancel(ctx, provider(ctx), schedule_version),
  list_batch_registered: async ({ account_kid_param }, ctx) =>
    (await batches.recentJobs({ ...provider(ctx), of: { account_kid: account_kid_param } })).map(batches.shown),
  batch_template: (_, ctx) => batches.templateFile('terminal_registered', ctx.request.language),
  paging_batch_row: (input, ctx) => batches.pagingRows(ctx.deps, provider(ctx), input, ctx.request.language),
  batch_result: (input, ctx) => result(ctx, provider(ctx), input),
  async preview_batch({ account_kid_param, ...source }, ctx) {
    const to = wholeAccount(ctx, await customer(ctx.deps, account_kid_param))
    return batches.preview(ctx, { to, source, creates_groups: false })
  },
  async list_group({ account_kid_param }, ctx) {
    const account_kid = await customer(ctx.deps, account_kid_param)
    return listGroups(wholeAccount(ctx, account_kid), { parent_kid: 'ALL' })
  },
  async announced_sheet({ account_kid_param, sns, work_order }, { deps, request }) {
    const account_kid = await customer(deps, account_kid_param)
    const week = await batches.weekOfAccount(deps.scope(account_kid), account_kid, deps.clock.now())
    return batches.announcedFile(deps, { account_kid, week, sns, work_order, language: request.language })
  },
})
