import { implement } from '../../../http/context.ts'
import type { Ctx } from '../../../http/context.ts'
import { brake } from '../../people/brakes/index.ts'
import * as alerts from './index.ts'

async function acknowledge(ctx: Ctx, kids: readonly string[]): Promise<number> {
  const done = await alerts.acknowledge(ctx, kids)
  for (const { kid, name } of done) ctx.track('alert', kid, 'alert_acknowledged', { name })
  return done.length
}

export const alertCalls = implement('alert', {
  paging: (input, ctx) => alerts.paging(ctx, input),
  get: (input, ctx) => alerts.get(ctx, input),
  list_open: (_input, ctx) => alerts.listOpen(ctx),
  paging_terminal: (input, ctx) => alerts.pagingTerminal(ctx, input),
  list_by_terminal: ({ terminal_kid }, ctx) => alerts.listByTerminal(ctx, terminal_kid),
  async acknowledge({ kid }, ctx) {
    if ((await acknowledge(ctx, [kid])) === 0) ctx.fail('alert_not_open')
    return {}
  },
  acknowledge_batch: async ({ kids }, ctx) => ({ acknowledged: await acknowledge(ctx, kids) }),
  async resolve({ kid }, ctx) {
    const { name } = await alerts.resolve(ctx, kid)
    ctx.track('alert', kid, 'alert_resolved', { name })
    return {}
  },
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
