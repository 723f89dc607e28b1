import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import * as alerts from './index.ts'

type Done = readonly { kid: string; name: string }[]
function track(ctx: Ctx, done: Done, kind: 'alert_acknowledged' | 'alert_resolved' | 'alert_unassigned'): number {
  for (const { kid, name } of done) ctx.track('alert', kid, kind, { name })
  return done.length
}

export const alertCalls = implement('alert', {
  paging: (input, ctx) => alerts.paging(ctx, input),
  get: (input, ctx) => alerts.get(ctx, input),
  list_open: (_input, ctx) => alerts.listOpen(ctx),
  paging_terminal: (input, ctx) => alerts.pagingTerminal(ctx, input),
  list_by_terminal: ({ terminal_kid }, ctx) => alerts.listByTerminal(ctx, terminal_kid),
  async acknowledge({ kid }, ctx) {
    const { done } = await alerts.acknowledge(ctx, [kid])
    if (track(ctx, done, 'alert_acknowledged') === 0) ctx.fail('alert_not_open')
    return {}
  },
  async acknowledge_batch({ kids }, ctx) {
    const { done, skipped } = await alerts.acknowledge(ctx, kids)
    return { acknowledged: track(ctx, done, 'alert_acknowledged'), skipped }
  },
  async resolve({ kid }, ctx) {
    track(ctx, [await alerts.resolve(ctx, kid)], 'alert_resolved')
    return {}
  },
  async resolve_batch({ kids }, ctx) {
    const { done, skipped } = await alerts.resolveAll(ctx, kids)
    return { resolved: track(ctx, done, 'alert_resolved'), skipped }
  },
  list_assignee: (input, ctx) => alerts.listAssignees(ctx, input),
  async assign(input, ctx) {
    const { done, skipped, assignee } = await alerts.assign(ctx, input)
    if (assignee === null) track(ctx, done, 'alert_unassigned')
    else for (const { kid, name } of done) ctx.track('alert', kid, 'alert_assigned', { name, assignee })
    return { assigned: done.length, skipped }
  },
  async update_note(input, ctx) {
    const { name } = await alerts.updateNote(ctx, input)
    ctx.track('alert', input.kid, 'alert_noted', { name })
    return {}
  },
  list_history: ({ kid }, ctx) => alerts.listHistory(ctx, kid),
  get_origin: ({ kid }, ctx) => alerts.getOrigin(ctx, kid),
})

export const alertRuleCalls = implement('alertRule', {
  paging: (input, ctx) => alerts.pagingRules(ctx, input),
  async insert(input, ctx) {
    await brake(ctx, { act: 'save_alert_rule', devices: 0, is_lasting: alerts.isLocking(input) })
    const made = await alerts.insert(ctx, input)
    ctx.track('alert_rule', made.kid, 'created', { name: input.name })
    return made
  },
  async update(input, ctx) {
    await brake(ctx, { act: 'save_alert_rule', devices: 0, is_lasting: await alerts.willBeLocking(ctx, input) })
    await alerts.update(ctx, input)
    ctx.track('alert_rule', input.kid, 'changed', { name: input.name })
    return {}
  },
  async delete({ kid }, ctx) {
    const { name } = await alerts.remove(ctx, kid)
    ctx.track('alert_rule', kid, 'deleted', { name })
    return {}
  },
  preview: (input, ctx) => alerts.preview(ctx, input),
  check_mail: (_input, ctx) => alerts.checkMail(ctx),
  async silence(input, ctx) {
    const { name } = await alerts.silence(ctx, input)
    if (input.hours === 0) ctx.track('alert_rule', input.kid, 'alert_speaks', { name })
    else ctx.track('alert_rule', input.kid, 'alert_silenced', { name, hours: input.hours })
    return {}
  },
})
