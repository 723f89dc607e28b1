import { facet_shares_max } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { countInGroups } from '../../../fleet/terminal-group/index.ts'
import { countAll } from '../../../fleet/terminal-filter/index.ts'

/** Values that a filter offers; what devices call themselves is theirs to say, so there could be any number. */
const values_max = 500
const versions_max = 100_000
type Facet = 'model' | 'os_version' | 'uid'

/**
 * What the filters of the device list offer, and how many devices there are and are online. Of which value how many
 * are reads an index entry per device: only for who asks for it.
 */
export async function facets(actor: Actor, with_shares = false) {
  const { scope, account_kid, visible_groups } = actor
  const [models, os_versions, uids, { total }, online, of_models, of_versions] = await Promise.all([
    values(actor, 'model').execute(),
    values(actor, 'os_version').execute(),
    values(actor, 'uid').execute(),
    (visible_groups ? countInGroups(scope, visible_groups) : countAll(scope, account_kid)).query(),
    countOnline(actor),
    with_shares ? counts(actor, 'model').execute() : undefined,
    with_shares ? counts(actor, 'os_version').execute() : undefined,
  ])
  return {
    models: named(models),
    os_versions: named(os_versions),
    uids: named(uids),
    total,
    online,
    ...(of_models && { model_shares: shares(of_models, total) }),
    ...(of_versions && { os_version_shares: shares(of_versions, total) }),
  }
}

const named = (rows: { value: string | null }[]): string[] => rows.flatMap(({ value }) => value || [])

/** Most devices first. What is not among the counted values is known from the counter of all devices. */
function shares(rows: { value: string | null; count: number }[], total: number) {
  const sum = (some: { count: number }[]) => some.reduce((all, { count }) => all + count, 0)
  const top = rows
    .flatMap(({ value, count }) => (value && count > 0 ? { value, count } : []))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, facet_shares_max)
  const unnamed = sum(rows.filter(({ value }) => value === ''))
  // Devices may come and go between the statements.
  return { top, rest: Math.max(0, total - unnamed - sum(top)) }
}

export async function countOnline({ scope, visible_groups }: Actor): Promise<number> {
  const { n } = await scope
    .selectFrom('terminal_state')
    .$if(visible_groups !== undefined, (q) => q.innerJoin('terminal', 'terminal.kid', 'terminal_state.terminal_kid'))
    .where(sql<boolean>`terminal_state.is_online`)
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** The versions of systems that devices have, however many there are. */
export const osVersions = async (actor: Actor): Promise<string[]> =>
  named(await values(actor, 'os_version', versions_max).execute())

/**
 * '' and every value, in their order. Reads one index entry per value instead of one per device. A user limited to
 * groups has few devices to read.
 */
export function values({ scope, visible_groups }: Actor, column: Facet, limit = values_max + 1) {
  if (visible_groups)
    return scope.selectFrom('terminal').select(`${column} as value`).distinct().orderBy(column).limit(limit)
  return loose(scope, column).selectFrom('loose').select('value').where('value', 'is not', null).limit(limit)
}

/** The same values, and how many devices are of each: by value, so that the index by it is all that is read. */
export function counts({ scope, visible_groups }: Actor, column: Facet) {
  const count = sql<number>`count(*)::int`.as('count')
  const limit = values_max + 1
  if (visible_groups)
    return scope
      .selectFrom('terminal')
      .select([`${column} as value`, count])
      .groupBy(column)
      .orderBy('count', 'desc')
      .limit(limit)
  return loose(scope, column)
    .selectFrom('loose')
    .innerJoinLateral(
      (eb) => eb.selectFrom('terminal').select(count).whereRef(`terminal.${column}`, '=', 'loose.value').as('counted'),
      (join) => join.onTrue(),
    )
    .select(['loose.value', 'counted.count'])
    .limit(limit)
}

const loose = (scope: Actor['scope'], column: Facet) =>
  scope.withRecursive('loose', (db) =>
    db.selectNoFrom(sql<string | null>`''`.as('value')).unionAll((eb) =>
      eb
        .selectFrom('loose')
        .select((inner) =>
          inner
            .selectFrom('terminal')
            .select((next) => next.fn.min<string | null>(`terminal.${column}`).as('next'))
            .whereRef(`terminal.${column}`, '>', 'loose.value')
            .as('value'),
        )
        .where('loose.value', 'is not', null),
    ),
  )
