import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { judgeRules } from './judge-rules.ts'

const day_ms = 86_400_000
/** As the logs of devices. */
const alerts_kept_days = 180

/** Rules that somebody has changed and that are not judged yet, and when the first was judged. */
export type ChangedRules = { changed: Set<string>; first_judged?: number }
export const changedRules: SharedWork = {
  name: 'changed_alert_rules',
  every_ms: 20_000,
  at_once: 1,
  async run(deps) {
    const { changed } = deps.memory.alert_rules
    if (changed.size === 0) return false
    const only = [...changed]
    changed.clear()
    await judgeRules(deps, { only })
    return true
  },
}
/** Judges a rule at once: somebody has changed it and looks at it. Those of everybody else wait for their time. */
export function wakeRule(deps: Deps, rule_kid: string): void {
  deps.memory.alert_rules.changed.add(rule_kid)
  wake(deps, changedRules)
}

export async function dropOldAlerts(deps: Deps): Promise<void> {
  const before = (days: number) => new Date(deps.clock.now().getTime() - days * day_ms)
  await sql`DELETE FROM alert WHERE kid IN (
    SELECT kid FROM alert WHERE resolved_at < ${before(alerts_kept_days)} LIMIT 500)`.execute(deps.db)
}
