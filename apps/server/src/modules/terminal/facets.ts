import { sql } from 'kysely'
import { countInGroups } from '../terminal-group/service.ts'
import { countAll } from './list.ts'
import type { Viewer } from './list.ts'

/** Values that a filter offers; what devices call themselves is theirs to say, so there could be any number. */
const values_max = 500

/** What the filters of the device list offer, and how many devices there are and are online. */
export async function facets(viewer: Viewer) {
  const { scope, account_kid, reach } = viewer
  const [models, os_versions, total, online] = await Promise.all([
    distinct(viewer, 'model'),
    distinct(viewer, 'os_version'),
    reach ? countInGroups(scope, reach) : countAll(scope, account_kid),
    countOnline(viewer),
  ])
  return { models, os_versions, total, online }
}

async function countOnline({ scope, reach }: Viewer): Promise<number> {
  const { n } = await scope
    .selectFrom('terminal_state')
    .$if(reach !== undefined, (q) => q.innerJoin('terminal', 'terminal.kid', 'terminal_state.terminal_kid'))
    .where(sql<boolean>`terminal_state.is_online`)
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** Reads one index entry per value instead of one per device. A user limited to groups has few devices to read. */
async function distinct({ scope, reach }: Viewer, column: 'model' | 'os_version'): Promise<string[]> {
  if (reach) {
    const rows = await scope
      .selectFrom('terminal')
      .select(`${column} as value`)
      .distinct()
      .where(column, '!=', '')
      .orderBy(column)
      .limit(values_max)
      .execute()
    return rows.map((row) => row.value)
  }
  const rows = await scope
    .withRecursive('loose', (db) =>
      db
        .selectFrom('terminal')
        .select((eb) => eb.fn.min<string | null>(column).as('value'))
        .where(column, '>', '')
        .unionAll((eb) =>
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
    .selectFrom('loose')
    .select('value')
    .where('value', 'is not', null)
    .limit(values_max)
    .execute()
  return rows.map((row) => row.value!)
}
