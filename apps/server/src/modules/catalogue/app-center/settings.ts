import type { AppSetting, Contract, In, Out } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing } from '../../../db/paging.ts'
import { isBroken } from '../../../files/object-checks.ts'
import { picturesOf } from './apps.ts'
import { readable } from './library.ts'

type Calls = Contract['terminalConfig']['calls']

const apps_max = 50

/** Apps that the account sees and gives to devices, its own before those that it inherits under the same package. */
const offered = async (actor: Actor) =>
  (await readable(actor))
    .where('app.offered_version_kid', 'is not', null)
    .orderBy('app.package')
    .orderBy(sql`app.account_kid <> ${actor.account_kid}`)
    .distinctOn('app.package')

/** What people choose an app from who configure devices, without the permissions of the app center. */
export async function listOffered(
  actor: Actor,
  { text, packages }: In<Calls['list_app']>,
): Promise<Out<Calls['list_app']>> {
  const found = (await offered(actor))
    .innerJoin('app_version_settings as said', 'said.version_kid', 'offered.kid')
    .select(['app.kid', 'app.package', 'app.name', 'offered.version_name'])
    .select(sql<boolean>`said.settings <> '[]'`.as('has_settings'))
    .$if(Boolean(text), (q) =>
      q.where(
        sql<boolean>`(lower(app.name) LIKE ${containing(text!)} OR lower(app.package) LIKE ${containing(text!)})`,
      ),
    )
    .$if(packages !== undefined, (q) => q.where('app.package', 'in', [...packages!, '']))
  const rows = await actor.deps.db
    .selectFrom(found.as('found'))
    .selectAll()
    .orderBy(sql`lower(found.name)`)
    .limit(apps_max)
    .execute()
  const icons = await picturesOf(
    actor,
    rows.map(({ kid }) => kid),
    'icon',
  )
  return rows.map(({ version_name, ...row }) => ({
    ...row,
    version_name: version_name!,
    icon_url: icons.find(({ app_kid }) => app_kid === row.kid)?.url ?? null,
  }))
}

/** What the offered version of an app says can be set of it; nothing of an app that the account does not have. */
export async function settingsOf(actor: Actor, { package: name }: In<Calls['app_settings']>): Promise<AppSetting[]> {
  const version = await (
    await offered(actor)
  )
    .innerJoin('app_version_settings as said', 'said.version_kid', 'offered.kid')
    .where('app.package', '=', name)
    .select('said.settings')
    .select(isBroken('offered.object').as('is_broken'))
    .executeTakeFirst()
  return !version || version.is_broken ? [] : version.settings
}
