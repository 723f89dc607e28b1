import { ltscopes } from '@mdm/contract'
import { sql, expressionBuilder } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { levelsOf, groupPath, effectiveOf, settingsFor } from './levels.ts'

const query = expressionBuilder<Tables, 'terminal'>()
type Certificate = { expires_at?: string }

/**
 * True of a device `terminal` of whose certificates one ends by then, by the level that they come from: its own, worked out in
 * the statement, or its group's, worked out here, because groups are few and devices many.
 */
export async function certificatesExpire(actor: Actor, by: Date): Promise<RawBuilder<boolean>> {
  const settings = await settingsFor(actor, null)
  const groups = await actor.scope.selectFrom('terminal_group').select(['kid', 'parent_kid']).execute()
  const parents = new Map(groups.map(({ kid, parent_kid }) => [kid, parent_kid]))
  const ends = (group_kid: string | null) => {
    const { value } = effectiveOf(settings, 'certificates', levelsOf(groupPath(parents, group_kid)))
    const certificates: readonly Certificate[] = value?.certificates ?? []
    return certificates.some(({ expires_at }) => Boolean(expires_at) && Date.parse(expires_at!) <= by.getTime())
  }
  const ending = groups.filter(({ kid }) => ends(kid)).map(({ kid }) => kid)
  const own = query
    .selectFrom('terminal_config')
    .where('terminal_config.section', '=', 'certificates')
    .where('terminal_config.ltscope', '=', ltscopes.terminal)
  const own_ending = own.select('terminal_config.terminal_kid').where(
    sql<boolean>`jsonb_path_exists(${sql.ref('terminal_config.value')},
      '$.certificates[*].expires_at ? (@ != "" && @ <= $by)', ${JSON.stringify({ by: by.toISOString() })}::jsonb)`,
  )
  const of_group = sql<boolean>`CASE WHEN terminal.terminal_group_kid IS NULL THEN ${ends(null)}
    ELSE terminal.terminal_group_kid = ANY(${ending}::uuid[]) END`
  return sql<boolean>`(terminal.kid IN ${own_ending}
    OR (${of_group} AND terminal.kid NOT IN ${own.select('terminal_config.terminal_kid')}))`
}
