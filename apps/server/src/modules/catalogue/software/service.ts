import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { visible } from '../../store/app-offer/index.ts'
import { comparesVersion } from '../../fleet/installed-app/index.ts'

/** How many devices have which version of which package, as they last said; within the person's reach. */
export async function paging(actor: Actor, input: In<Contract['software']['calls']['paging']>) {
  const { scope, visible_groups, account_kid } = actor
  const { text, package: name, is_behind, is_managed } = input
  const is_seen = await visible(actor)
  const counted = scope
    .selectFrom('terminal_app')
    .$if(visible_groups !== undefined, (q) =>
      q.where((eb) =>
        eb.exists(
          eb.selectFrom('terminal').select('terminal.kid').whereRef('terminal.kid', '=', 'terminal_app.terminal_kid'),
        ),
      ),
    )
    .$if(name !== undefined, (q) => q.where('terminal_app.package', '=', name!))
    .select(['terminal_app.package', 'terminal_app.version', 'terminal_app.version_code'])
    .select(sql<number>`count(*)::int`.as('devices'))
    .groupBy(['terminal_app.package', 'terminal_app.version', 'terminal_app.version_code'])
  // No package has a space in its name, and no code has one.
  const key = sql<string>`md5(concat_ws(' ', s.package, s.version_code, 'v', s.version))::uuid`
  const has = { code: sql.ref('s.version_code'), key: sql`version_key(s.version)` }
  const behind = comparesVersion(has, '<', { code: sql.ref('a.version_code'), name: sql.ref('a.version_name') })
  const query = actor.deps.db
    .selectFrom(counted.as('s'))
    .leftJoinLateral(
      // An account's own app stands for the inherited one of the same package.
      (eb) =>
        eb
          .selectFrom('app')
          .leftJoin('app_version as v', 'v.kid', 'app.offered_version_kid')
          .whereRef('app.package', '=', 's.package')
          .where(is_seen)
          .select(['app.kid', 'app.name', 'v.version_name', 'v.version_code'])
          .orderBy(sql`app.account_kid <> ${account_kid}`)
          .orderBy('app.kid')
          .limit(1)
          .as('a'),
      (join) => join.onTrue(),
    )
    .select(['s.package', 's.version', 's.version_code', 's.devices', key.as('kid')])
    .select([sql<string | null>`a.kid`.as('app_kid'), sql<string | null>`a.name`.as('name'), behind.as('is_behind')])
    .$if(Boolean(text), (q) =>
      q.where(sql<boolean>`(lower(s.package) LIKE ${containing(text!)} OR lower(a.name) LIKE ${containing(text!)})`),
    )
    .$if(is_behind !== undefined, (q) => q.where(sql<boolean>`${behind} = ${is_behind}`))
    .$if(is_managed !== undefined, (q) => q.where(sql<boolean>`(a.kid IS NOT NULL) = ${is_managed}`))
  return readPage({
    query,
    input,
    columns: {
      devices: { ref: sql`s.devices`, order: 'desc' },
      package: { ref: sql`lower(s.package)` },
    },
    key,
  })
}
