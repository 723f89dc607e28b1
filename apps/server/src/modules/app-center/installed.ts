import type { InstalledVersion } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import { seen } from './apps.ts'

const versions_max = 200

/**
 * Which versions of an app the devices have, as they last said: those of the account within reach, or, for the provider,
 * all. Versions are compared by the numbers in them.
 */
export async function installed(actor: Actor, kid: string) {
  const { deps, scope, reach, account_kid } = actor
  const app = await seen(actor, kid)
  const is_provider = await deps.db
    .selectFrom('account')
    .select('kid')
    .where('kid', '=', account_kid)
    .where('type', '=', 101)
    .executeTakeFirst()
  const found = (is_provider ? deps.db : scope)
    .selectFrom('terminal_app')
    .where('terminal_app.package', '=', app.package)
    .$if(reach !== undefined, (q) =>
      q.where((eb) =>
        eb.exists(
          eb.selectFrom('terminal').select('terminal.kid').whereRef('terminal.kid', '=', 'terminal_app.terminal_kid'),
        ),
      ),
    )
  const rows = await found
    .select(['terminal_app.version', sql<number>`count(*)::int`.as('devices')])
    .groupBy(['terminal_app.version', 'terminal_app.version_key'])
    .orderBy('terminal_app.version_key', 'desc')
    .orderBy('terminal_app.version')
    .limit(versions_max)
    .execute()
  const totals = await found
    .select([
      sql<number>`count(*)::int`.as('devices'),
      sql<number>`(count(*) filter (where version_key < version_key(${app.version_name ?? ''})))::int`.as('behind'),
    ])
    .executeTakeFirstOrThrow()
  const here = await deps.db
    .selectFrom('app_version')
    .select(['kid', 'version_name'])
    .where('app_kid', '=', app.kid)
    .orderBy('version_code')
    .execute()
  const kidOf = new Map(here.map((version) => [version.version_name, version.kid]))
  const items: InstalledVersion[] = rows.map((row) => ({ ...row, version_kid: kidOf.get(row.version) ?? null }))
  return { items, ...totals }
}
