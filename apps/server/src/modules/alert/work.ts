import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { backgroundWork } from '../../lib/background.ts'
import { wakeAlertActions } from './actions.ts'
import { judgeRules } from './judge.ts'
import { wakeMails } from './mail.ts'

const day_ms = 86_400_000
/** As the logs of devices. */
const alerts_kept_days = 180
const mails_kept_days = 30

const waiting = new WeakMap<object, Set<string>>()
const judgeWaiting = backgroundWork('alert rules', async (deps) => {
  const kids = waiting.get(deps.database)
  if (!kids?.size) return false
  const only = [...kids]
  kids.clear()
  await judgeRules(deps, { only })
  return true
})
/** Judges a rule at once: somebody has changed it and looks at it. Those of everybody else wait for their time. */
export function wakeRule(deps: Deps, rule_kid: string): void {
  const kids = waiting.get(deps.database) ?? new Set()
  waiting.set(deps.database, kids.add(rule_kid))
  judgeWaiting(deps)
}

/** Each server looks after what another may have left behind. */
export async function watchAlerts(deps: Deps): Promise<void> {
  await judgeRules(deps)
  wakeMails(deps)
  wakeAlertActions(deps)
}

export async function dropOldAlerts(deps: Deps): Promise<void> {
  const before = (days: number) => new Date(deps.clock.now().getTime() - days * day_ms)
  await sql`DELETE FROM alert WHERE kid IN (
    SELECT kid FROM alert WHERE resolved_at < ${before(alerts_kept_days)} LIMIT 500)`.execute(deps.db)
  await sql`DELETE FROM alert_mail WHERE created_at < ${before(mails_kept_days)}`.execute(deps.db)
}
