import type { ChangeSaid } from '@mdm/contract'
import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import { createQrcode, liftQuarantine, registerByCode, renewSecret, scanResult } from '../../fleet/enrolment/index.ts'
import { hitByMove } from '../../configuration/terminal-config/index.ts'
import { count } from '../../fleet/terminal-filter/index.ts'
import * as terminals from './index.ts'

/** Of devices that were not named, which may be all there are, the account's row says how many they were. */
function trackEach(
  ctx: Pick<Ctx, 'track' | 'account_kid'>,
  kids: readonly string[] | undefined,
  each: ChangeSaid,
  all: ChangeSaid,
): void {
  if (kids) for (const kid of new Set(kids)) ctx.track('terminal', kid, ...each)
  else ctx.track('account', ctx.account_kid, ...all)
}

export const terminalCalls = implement('terminal', {
  paging: (input, ctx) => terminals.paging(ctx, input),
  facets: (input, ctx) => terminals.facets(ctx, input.with_shares),
  list_quarantined: (_input, ctx) => terminals.listQuarantined(ctx),
  list_low_storage: (_input, ctx) => terminals.listLowStorage(ctx),
  list_online: (_input, ctx) => terminals.onlineHistory(ctx),
  count: async ({ match }, ctx) => ({ count: await count(ctx, match) }),
  list_tag: (_input, ctx) => terminals.listTags(ctx),
  get: (input, ctx) => terminals.detailOf(ctx, input.kid),
  paging_event: (input, ctx) => terminals.pagingEvent(ctx, input),
  list_refusal: (input, ctx) => terminals.listRefusals(ctx, input.terminal_kid),
  list_run: (input, ctx) => terminals.listRun(ctx, input),
  async manual_registered(input, ctx) {
    const kid = await registerByCode(ctx, input)
    ctx.track('terminal', kid, 'registered', { sn: input.sn })
    return terminals.rowOf(ctx, kid)
  },
  async qrcode_registered_cache(input, ctx) {
    const code = await createQrcode(ctx, input)
    ctx.track('qrcode', code.qrcode_kid, 'made')
    return code
  },
  get_scan_result: (input, ctx) => scanResult(ctx, input.qrcode_kid),
  async update(input, ctx) {
    const row = await terminals.rename(ctx, input)
    ctx.track('terminal', row.kid, 'renamed', { from: row.sn, to: row.name ?? '-' })
    return row
  },
  async update_note(input, ctx) {
    const { sn } = await terminals.writeNote(ctx, input)
    ctx.track('terminal', input.kid, 'noted', { sn })
    return {}
  },
  async update_fields(input, ctx) {
    const updated = await terminals.updateFields(ctx, input)
    const kids = input.kid === undefined ? input.terminal_kids : [input.kid]
    trackEach(ctx, kids, ['fields_changed'], ['many_fields_changed', { count: updated }])
    return { updated }
  },
  async move_group_batch(input, ctx) {
    const before = async (kids: readonly string[]) =>
      void (await brake(ctx, { act: 'move', ...(await hitByMove(ctx, kids, input.terminal_group_kid)) }))
    const moved = await terminals.moveGroup(ctx, input, before)
    const group = input.terminal_group_kid === 'NO_GROUP' ? (['no_group'] as const) : input.terminal_group_kid
    trackEach(ctx, input.terminal_kids, ['moved_to', { group }], ['many_moved_to', { group, count: moved }])
    return { moved }
  },
  async renew_secret({ kid }, ctx) {
    await brake(ctx, { act: 'renew_secret', devices: 1 })
    const sn = await renewSecret(ctx, kid)
    ctx.track('terminal', kid, 'secret_taken', { sn })
    return {}
  },
  async lift_quarantine({ kid }, ctx) {
    const sn = await liftQuarantine(ctx, kid)
    if (sn !== undefined) ctx.track('terminal', kid, 'quarantine_lifted', { sn })
    return {}
  },
  async batch_cancel(input, ctx) {
    const gone = await terminals.cancel(ctx, input)
    if (input.match) ctx.track('account', ctx.account_kid, 'many_deregistered', { count: gone.length })
    else for (const { kid, sn } of gone) ctx.track('terminal', kid, 'deregistered', { sn })
    return { canceled: gone.length }
  },
  async batch_scrap(input, ctx) {
    const { found, schedule } = await terminals.scrap(ctx, input)
    if (schedule) ctx.track('scrap_schedule', schedule.kid, 'scrap_waits', { count: schedule.total })
    for (const { kid, sn } of found) ctx.track('terminal', kid, schedule ? 'to_be_scrapped' : 'scrapped', { sn })
    if (!schedule) return { scrapped: found.length, schedule_version: null, due_at: null }
    return { scrapped: 0, schedule_version: schedule.kid, due_at: schedule.due_at }
  },
})

export const terminalScrapCalls = implement('terminalScrap', {
  async list_scrap_schedule(_, ctx) {
    const now = ctx.deps.clock.now()
    const { user_kid } = ctx.session
    return (await terminals.schedules(ctx)).map((row) => terminals.shownSchedule(row, now, user_kid))
  },
  async cancel_scrap_schedule({ schedule_version }, ctx) {
    const row = await terminals.cancelSchedule(ctx, schedule_version)
    ctx.track('scrap_schedule', row.kid, 'scrap_canceled', { count: row.total })
    return {}
  },
})
