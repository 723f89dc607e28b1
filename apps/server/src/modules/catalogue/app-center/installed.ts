import type { InstalledVersion } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { comparesVersion } from '../../fleet/installed-app/index.ts'
import { seen } from './library.ts'

const versions_max = 200

/**
 * Which versions of an app the devices have, as they last said: those of the account within reach, or, for the provider,
 * all. Versions are compared by their codes, or by the numbers in them where a device does not say its app's code.
 */
export async function installed(actor: Actor, kid: string) {
  const { deps, scope, visible_groups, account_kid } = actor
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
    .$if(visible_groups !== undefined, (q) =>
      q.where((eb) =>
        eb.exists(
          eb.selectFrom('terminal').select('terminal.kid').whereRef('terminal.kid', '=', 'terminal_app.terminal_kid'),
        ),
      ),
    )
  const rows = await found
    .select(['terminal_app.version', 'terminal_app.version_code', sql<number>`count(*)::int`.as('devices')])
    .groupBy(['terminal_app.version', 'terminal_app.version_code', 'terminal_app.version_key'])
    .orderBy('terminal_app.version_key', 'desc')
    .orderBy(sql`terminal_app.version_code DESC NULLS LAST`)
    .orderBy('terminal_app.version')
    .limit(versions_max)
    .execute()
  const behind = comparesVersion(
    { code: sql.ref('terminal_app.version_code'), key: sql.ref('terminal_app.version_key') },
    '<',
    { code: app.version_code, name: app.version_name ?? '' },
  )
  const totals = await found
    .select([
      sql<number>`count(*)::int`.as('devices'),
      sql<number>`(count(*) filter (where ${behind}))::int`.as('behind'),
    ])
    .executeTakeFirstOrThrow()
  const here = await deps.db
    .selectFrom('app_version')
    .select(['kid', 'version_name', 'version_code'])
    .where('app_kid', '=', app.kid)
    .orderBy('version_code')
    .execute()
  const byName = new Map(here.map(({ version_name, kid: version_kid }) => [version_name, version_kid]))
  const byCode = new Map(here.map(({ version_code, kid: version_kid }) => [version_code, version_kid]))
  const kidOf = ({ version, version_code }: (typeof rows)[number]) =>
    version_code === null ? byName.get(version) : byCode.get(version_code)
  const items: InstalledVersion[] = rows.map((row) => ({ ...row, version_kid: kidOf(row) ?? null }))
  return { items, ...totals }
}
