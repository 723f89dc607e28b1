import { osCustomLimits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing } from '../../../db/paging.ts'
import { visible } from '../../store/app-offer/index.ts'
import { chainOf, devicePlace, foldersAbove, ownersOf } from '../../store/file-cloud/index.ts'
import { any } from './locked-custom.ts'

const versions_max = 20

/** Listed apps that the account sees: its own, and inherited ones. */
export async function listApps(actor: Actor, text: string | undefined) {
  const { deps, account_kid } = actor
  const seen = await visible(actor)
  const apps = await deps.db
    .selectFrom('app')
    .select(['kid', 'name', 'package', 'account_kid', 'offered_version_kid'])
    .where(seen)
    .where('state', '=', 'listed')
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([eb(sql`lower(name)`, 'like', containing(text!)), eb(sql`lower(package)`, 'like', containing(text!))]),
      ),
    )
    .orderBy(sql`lower(name)`)
    .orderBy('kid')
    .limit(osCustomLimits.choices)
    .execute()
  const versions = await deps.db
    .selectFrom('app_version')
    .select(['kid', 'app_kid', 'version_name', 'version_code'])
    .where('app_kid', '=', any(apps.map(({ kid }) => kid)))
    .orderBy('version_code', 'desc')
    .limit(5_000)
    .execute()
  return apps.map(({ account_kid: owner, offered_version_kid, ...app }) => ({
    ...app,
    is_inherited: owner !== account_kid,
    versions: versions
      .filter(({ app_kid }) => app_kid === app.kid)
      .slice(0, versions_max)
      .map(({ kid, version_name, version_code }) => ({
        kid,
        version_name,
        version_code,
        is_offered: kid === offered_version_kid,
      })),
  }))
}

/** Files of the account and of the provider, with where they belong by the folders that they are in. */
export async function listFiles(actor: Actor, text: string | undefined) {
  const { db } = actor.deps
  const rows = await db
    .selectFrom('file_cloud')
    .select(['kid', 'name', 'size', 'account_kid', 'parent_kid'])
    .where('account_kid', '=', any(await ownersOf(db, actor)))
    .where('is_folder', '=', false)
    .$if(Boolean(text), (q) => q.where(sql`lower(name)`, 'like', containing(text!)))
    .orderBy(sql`lower(name)`)
    .orderBy('kid')
    .limit(osCustomLimits.choices)
    .execute()
  const folders = await foldersAbove(
    db,
    rows.map(({ parent_kid }) => parent_kid),
  )
  return rows.map(({ account_kid, parent_kid, ...file }) => ({
    ...file,
    origin: account_kid === actor.account_kid ? ('private' as const) : ('platform' as const),
    device_path: devicePlace(chainOf(folders, parent_kid)),
  }))
}
