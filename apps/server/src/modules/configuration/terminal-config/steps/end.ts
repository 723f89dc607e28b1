import { sectionsOfType } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Stopping } from '../../../push/push-task/index.ts'
import { writeSections } from '../edit/write.ts'
import type { Section } from '../levels/affected-devices.ts'
import { oweLater } from '../owe.ts'

type Db = Kysely<Tables>

/** Changes whose steps are over are owed to whoever they did not reach. */
export async function endSteps(trx: Db, push_task_kids: readonly string[], now: Date): Promise<void> {
  const changes = await trx
    .updateTable('configuration_change')
    .set({ is_staged: false })
    .where('push_task_kid', 'in', push_task_kids)
    .where('is_staged', '=', true)
    .returningAll()
    .execute()
  for (const change of changes)
    await oweLater(trx, { place: change, sections: change.sections as Section[], change_kid: change.kid }, now)
}

/** The steps of a change were stopped: its level goes back to what was set before, for everybody. */
export async function takeBack(trx: Db, change_kid: string, { deps, user, after }: Stopping): Promise<void> {
  const change = await trx
    .updateTable('configuration_change')
    .set({ is_staged: false })
    .where('kid', '=', change_kid)
    .where('is_staged', '=', true)
    .returningAll()
    .executeTakeFirst()
  if (!change) return
  const { type, account_kid, ltscope, terminal_group_kid, terminal_kid } = change
  const place = { account_kid, ltscope, terminal_group_kid, terminal_kid }
  const before = change.before as Record<string, unknown>
  const values = Object.fromEntries(sectionsOfType(type).map((section) => [section, before[section] ?? null]))
  await writeSections(trx, { deps, user, after, place, act: 'revert', values, is_brief: true })
}
