import { sectionsOfType } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import { refuse } from '../../../../refusal.ts'
import type { Place } from '../levels/config-places.ts'
import type { WritePlace } from '../levels/affected-devices.ts'

type Change = Selectable<Tables['configuration_change']>

/** A change, as far as `db` reaches; refused as not found, as one of another place than `at` is. */
export async function changeOf(db: Kysely<Tables>, kid: string, at?: WritePlace): Promise<Change> {
  const change = await db.selectFrom('configuration_change').selectAll().where('kid', '=', kid).executeTakeFirst()
  const is_there =
    !at ||
    (change?.account_kid === at.account_kid &&
      change.ltscope === at.ltscope &&
      change.terminal_group_kid === at.terminal_group_kid &&
      change.terminal_kid === at.terminal_kid)
  return change && is_there ? change : refuse('not_found')
}

/** All sections of the kind as they were in the version that the change made; null for one that was not set. */
export const versionOf = ({ type, after }: Pick<Change, 'type' | 'after'>): Record<string, unknown> =>
  Object.fromEntries(
    sectionsOfType(type).map((section) => [section, (after as Record<string, unknown>)[section] ?? null]),
  )

export const placeOf = (row: Pick<WritePlace, 'ltscope' | 'terminal_group_kid' | 'terminal_kid'>): Place => ({
  ltscope: row.ltscope,
  terminal_group_kid: row.terminal_group_kid ?? undefined,
  terminal_kid: row.terminal_kid ?? undefined,
})
