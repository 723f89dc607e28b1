import type { BatchRow } from '@mdm/contract'
import type { Deps } from '../../deps.ts'
import { wholeAccount } from '../../actor.ts'
import { refuse } from '../../refusal.ts'
import { implement } from '../../http/context.ts'
import type { Ctx } from '../../http/context.ts'
import { readerOf } from '../../workers/service.ts'
import { assertAccountUsable } from '../enrolment/service.ts'
import { list as listGroups } from '../terminal-group/service.ts'
import * as batches from './service.ts'

type Context = Pick<Ctx, 'deps' | 'session' | 'account_kid' | 'scope' | 'request' | 'track'>
const own = ({ scope, account_kid, session }: Context): batches.Owned => ({
  db: scope,
  owner_kid: account_kid,
  only_by: session.group_kids && session.user_kid,
})
/** Of the provider, whose operators ask for devices of others. */
const provider = ({ deps, session }: Context): batches.Owned => ({ db: deps.db, owner_kid: session.own_account_kid })

type Asked = { rows: readonly BatchRow[]; group: string; schedule_version: string }
async function start(ctx: Context, to: { account_kid: string; owner_kid: string }, asked: Asked) {
  const { deps, session, request } = ctx
  const user = { kid: session.user_kid, name: session.name }
  const job = await batches.start({ deps, ...to, reach: session.group_kids, user, ...asked })
  ctx.track('batch_job', job.kid, `${job.total} devices from a sheet for ${to.account_kid}`)
  return batches.resultFile(deps, job, request)
}

async function cancel(ctx: Context, owned: batches.Owned, schedule_version: string) {
  const job = await batches.cancel(ctx.deps, owned, schedule_version)
  ctx.track('batch_job', job.kid, `canceled after ${job.done} of ${job.total}`)
  return {}
}

async function result(ctx: Context, owned: batches.Owned, asked: { schedule_version: string; only_failed: boolean }) {
  const job = await batches.jobOf(owned, asked.schedule_version)
  return batches.resultFile(ctx.deps, job, { language: ctx.request.language, only_failed: asked.only_failed })
}

const preview = (ctx: Context, upload_kid: string, account_kid: string) =>
  batches.preview(ctx.deps, ctx.scope, {
    upload_kid,
    account_kid,
    language: ctx.request.language,
    by: readerOf(ctx),
  })

export const terminalBatchCalls = implement('terminalBatch', {
  batch_registered: ({ terminalDtos, terminalGroupKid, schedule_version }, ctx) =>
    start(
      ctx,
      { account_kid: ctx.account_kid, owner_kid: ctx.account_kid },
      { rows: terminalDtos, group: terminalGroupKid, schedule_version },
    ),
  get_batch_registered_schedule: async ({ schedule_version }, ctx) =>
    batches.shown(await batches.jobOf(own(ctx), schedule_version)),
  list_batch_registered: async (_, ctx) => (await batches.recentJobs(own(ctx))).map(batches.shown),
  cancel_batch_registered: ({ schedule_version }, ctx) => cancel(ctx, own(ctx), schedule_version),
  batch_result: (input, ctx) => result(ctx, own(ctx), input),
  batch_template: (_, ctx) => batches.templateFile('terminal_registered', ctx.request.language),
  preview_batch: ({ upload_kid }, ctx) => preview(ctx, upload_kid, ctx.account_kid),
})

/** A customer that can have devices now. */
async function customer(deps: Deps, account_kid: string): Promise<string> {
  const found = await deps.db
    .selectFrom('account')
    .select('kid')
    .where('kid', '=', account_kid)
    .where('type', 'in', [1, 2])
    .executeTakeFirst()
  if (!found) return refuse('not_found')
  await assertAccountUsable(deps, account_kid)
  return account_kid
}

export const opsTerminalBatchCalls = implement('opsTerminalBatch', {
  async account_batch_registered({ accountRegisteredTerminalDtos, terminalGroupKid, schedule_version }, ctx) {
    const account_kid = await customer(ctx.deps, accountRegisteredTerminalDtos[0]!.account_kid)
    const rows = accountRegisteredTerminalDtos.map(({ account_kid: _, ...row }) => row)
    const { owner_kid } = provider(ctx)
    return start(ctx, { account_kid, owner_kid }, { rows, group: terminalGroupKid, schedule_version })
  },
  get_account_batch_registered_schedule: async ({ schedule_version }, ctx) =>
    batches.shown(await batches.jobOf(provider(ctx), schedule_version)),
  cancel_batch_registered: ({ schedule_version }, ctx) => cancel(ctx, provider(ctx), schedule_version),
  list_batch_registered: async ({ account_kid_param }, ctx) =>
    (await batches.recentJobs({ ...provider(ctx), of: { account_kid: account_kid_param } })).map(batches.shown),
  batch_template: (_, ctx) => batches.templateFile('terminal_registered', ctx.request.language),
  batch_result: (input, ctx) => result(ctx, provider(ctx), input),
  preview_batch: async ({ upload_kid, account_kid_param }, ctx) =>
    preview(ctx, upload_kid, await customer(ctx.deps, account_kid_param)),
  async list_group({ account_kid_param }, ctx) {
    const account_kid = await customer(ctx.deps, account_kid_param)
    return listGroups(wholeAccount(ctx, account_kid), { parent_kid: 'ALL' })
  },
  async announced_sheet({ account_kid_param, sns, work_order }, { deps, request }) {
    const account_kid = await customer(deps, account_kid_param)
    const week = await batches.weekOfAccount(deps.db, account_kid, deps.clock.now())
    return batches.announcedFile(deps, { account_kid, week, sns, work_order, language: request.language })
  },
})
