import { sectionsOfType } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { writeSections } from '../edit/write.ts'

type Change = Selectable<Tables['configuration_change']>

/** The level as it was before the change, for everybody. */
export async function takeBack(
  deps: Deps,
  change: Change,
  user: { kid: string; name: string },
): Promise<ConfigSection[]> {
  const { kid, type, account_kid, ltscope, terminal_group_kid, terminal_kid } = change
  const place = { account_kid, ltscope, terminal_group_kid, terminal_kid }
  const before = change.before as Record<string, unknown>
  const values = Object.fromEntries(sectionsOfType(type).map((section) => [section, before[section] ?? null]))
  const changed = await deps.db
    .transaction()
    .execute((trx) => writeSections(trx, { deps, user, place, act: 'revert', values, takes_back: kid }))
  if (account_kid !== null)
    deps.live.publish(account_kid, { type: 'terminal_config', kid: terminal_group_kid ?? account_kid })
  deps.link.wake([])
  return changed
}

/** A change whose steps are over is owed to whoever they did not reach; one whose push was stopped goes back. */
export async function finishOnce(deps: Deps): Promise<boolean> {
  const { rows } = await sql<Change & { is_stopped: boolean }>`
    SELECT c.*, COALESCE(k.phase IN ('canceled', 'rejected'), false) AS is_stopped
    FROM configuration_change c LEFT JOIN push_task k ON k.kid = c.push_task_kid
    WHERE c.is_staged AND c.push_task_kid IS NOT NULL AND (k.kid IS NULL OR k.phase IN ('ended', 'canceled', 'rejected')) ORDER BY c.created_at LIMIT 1
  `.execute(deps.db)
  const change = rows[0]
  if (!change) return false
  if (change.is_stopped) {
    await takeBack(deps, change, { kid: change.created_by_kid, name: change.created_by })
    return true
  }
  await deps.db
    .updateTable('configuration_change')
    .set({ is_staged: false, is_owing: true })
    .where('kid', '=', change.kid)
    .where('is_staged', '=', true)
    .execute()
  return true
}
