import { alertActionNeeds } from '@mdm/contract'
import type { AlertAction } from '@mdm/contract'
import { sql } from 'kysely'
import { issuerOf } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { unseal } from '../../../lib/sealed.ts'
import { groupBy } from '../../../link/group-by.ts'
import { Refusal } from '../../../refusal.ts'
import { actingFor, pushFor, stillThere } from '../../push/push-task/index.ts'
import { moveGroup } from '../../devices/terminal/index.ts'

/** As many as one push names. */
const batch_size = 1_000
/** What could not be done for longer, because no server ran, is left out: it may be over by then. */
const late_ms = 3_600_000

type Row = {
  rule_kid: string
  terminal_kid: string
  account_kid: string
  at: Date
  name: string
  action_sealed: string | null
  created_by_kid: string
  created_by: string
  created_by_token_kid: string | null
}

/** Does what rules order for devices for which they fire: one push, or one move, for all of a moment. */
export const alertActions: SharedWork = {
  name: 'alert_actions',
  every_ms: 20_000,
  at_once: 1,
  by_age: true,
  run: async (deps) => (await act(deps)) === batch_size,
}

/** Taken before it is done: a killed server leaves an action out rather than doing it twice. */
async function act(deps: Deps): Promise<number> {
  const { rows } = await sql<Row>`
    DELETE FROM alert_action a USING alert_rule r
    WHERE r.kid = a.rule_kid AND (a.rule_kid, a.terminal_kid) IN (
      SELECT rule_kid, terminal_kid FROM alert_action ORDER BY at, rule_kid, terminal_kid LIMIT ${batch_size} FOR UPDATE SKIP LOCKED)
    RETURNING a.rule_kid, a.terminal_kid, a.account_kid, a.at, r.name, r.action_sealed, r.created_by_kid, r.created_by,
      r.created_by_token_kid
  `.execute(deps.db)
  const earliest = deps.clock.now().getTime() - late_ms
  const due = rows.filter(({ at, action_sealed }) => at.getTime() >= earliest && action_sealed !== null)
  for (const [rule_kid, devices] of groupBy(due, (row) => row.rule_kid)) {
    const last_error = await run(deps, devices).then(
      () => null,
      (error: unknown) => {
        deps.log.warn({ err: error, alert_rule_kid: rule_kid }, 'the action of an alert rule was not done')
        return error instanceof Refusal ? error.refusal : 'internal'
      },
    )
    await deps.db.updateTable('alert_rule').set({ last_error }).where('kid', '=', rule_kid).execute()
  }
  return rows.length
}

/** As whoever made the rule, with what that person may do today. */
async function run(deps: Deps, devices: readonly Row[]): Promise<void> {
  const { name: rule, action_sealed } = devices[0]!
  const by = issuerOf(devices[0]!)
  const action = JSON.parse(await unseal(deps, action_sealed!)) as AlertAction
  const terminal_kids = devices.map(({ terminal_kid }) => terminal_kid)
  switch (action.type) {
    case 'message': {
      const payload = { title: action.title, text: action.text }
      return assertNoneMissing(await pushFor(deps, by, { type: 'message', payload }, terminal_kids, rule))
    }
    case 'lock': {
      const payload = action.password === undefined ? {} : { password: action.password }
      return assertNoneMissing(await pushFor(deps, by, { type: 'lock', payload }, terminal_kids, rule))
    }
    case 'move': {
      const actor = await actingFor(deps, by, alertActionNeeds.move)
      const there = await stillThere(actor, terminal_kids)
      const { terminal_group_kid } = action
      if (there.length > 0) await moveGroup(actor, { terminal_kids: there, terminal_group_kid })
      return assertNoneMissing({ missing: terminal_kids.filter((kid) => !there.includes(kid)) })
    }
  }
}

function assertNoneMissing({ missing }: { missing: readonly string[] }): void {
  if (missing.length > 0) throw new Refusal('device_not_found')
}
