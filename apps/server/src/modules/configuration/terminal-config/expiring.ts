import { ltscopes } from '@mdm/contract'
import { sql, expressionBuilder } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { levelsOf, groupPath, effectiveOf, settingsFor } from './levels.ts'
import { usedBy, usesBySection } from './profile-uses.ts'

const query = expressionBuilder<Tables, 'terminal'>()
type Certificate = { expires_at?: string }

/**
 * True of a device `terminal` of whose certificates one ends by then, by the level that they come from: its own, worked out in
 * the statement, or that of a profile or its group, worked out here, because those are few and devices many.
 */
export async function certificatesExpire(actor: Actor, by: Date): Promise<RawBuilder<boolean>> {
  const settings = await settingsFor(actor, null)
  const groups = await actor.scope.selectFrom('terminal_group').select(['kid', 'parent_kid']).execute()
  const parents = new Map(groups.map(({ kid, parent_kid }) => [kid, parent_kid]))
  const uses = (await usesBySection(actor.scope, actor.account_kid, ['certificates'])).get('certificates') ?? []
  const doEnd = (value: { certificates: readonly Certificate[] } | null) =>
    (value?.certificates ?? []).some(({ expires_at }) => Boolean(expires_at) && Date.parse(expires_at!) <= by.getTime())
  const ends = (group_kid: string | null) =>
    doEnd(effectiveOf(settings, 'certificates', levelsOf(groupPath(parents, group_kid))).value)
  const inProfile = (kid: string) =>
    doEnd((settings('certificates', { ltscope: ltscopes.profile, kid })?.value ?? null) as never)
  const ending = groups.filter(({ kid }) => ends(kid)).map(({ kid }) => kid)
  const own = query
    .selectFrom('terminal_config')
    .where('terminal_config.section', '=', 'certificates')
    .where('terminal_config.ltscope', '=', ltscopes.terminal)
  const own_ending = own.select('terminal_config.terminal_kid').where(
    sql<boolean>`jsonb_path_exists(${sql.ref('terminal_config.value')},
      '$.certificates[*].expires_at ? (@ != "" && @ <= $by)', ${JSON.stringify({ by: by.toISOString() })}::jsonb)`,
  )
  const of_profiles = uses.map(
    (use) => sql`WHEN ${usedBy([use], groups, 'terminal')} THEN ${sql.lit(inProfile(use.profile_kid))}`,
  )
  const of_group = sql<boolean>`CASE ${sql.join(of_profiles, sql` `)} WHEN terminal.terminal_group_kid IS NULL THEN ${ends(null)}
    ELSE terminal.terminal_group_kid = ANY(${ending}::uuid[]) END`
  return sql<boolean>`(terminal.kid IN ${own_ending}
    OR (${of_group} AND terminal.kid NOT IN ${own.select('terminal_config.terminal_kid')}))`
}
