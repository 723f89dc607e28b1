import { appLimits, constants } from '@mdm/contract'
import type { App, AppDetails, Contract, In } from '@mdm/contract'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { isBroken } from '../../../files/object-checks.ts'
import { claimUpload } from '../../../files/own-upload.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { assertCategory, kidsWithin } from './categories.ts'
import { assertDependencies, dependenciesOf, setDependencies } from './dependencies.ts'
import { addContent, appColumns, change, changed, dropObjects, originOf, ownApp, readable, seen } from './library.ts'
import type { Db, Librarian } from './library.ts'
import { completed, uploadedPackage } from './packages.ts'
import { keepPicture, uploadedPicture } from './pictures.ts'
import type { Picture } from './pictures.ts'
import { insertVersion } from './versions.ts'

type Calls = Contract['appCenter']['calls']
const any = (values: readonly string[]) => sql<string>`any(${values}::uuid[])`

export async function paging(actor: Actor, input: In<Calls['paging']>) {
  const { text, state, origin, category_kid } = input
  const categories = category_kid === undefined ? undefined : await kidsWithin(actor, category_kid)
  const page = await readPage({
    query: (await readable(actor))
      .select(appColumns)
      .select(isBroken('offered.object').as('is_broken'))
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or(
            (['app.name', 'app.package', 'app.developer'] as const).map((column) =>
              eb(sql`lower(${sql.ref(column)})`, 'like', containing(text!)),
            ),
          ),
        ),
      )
      .$if(state !== undefined, (q) => q.where('app.state', '=', state!))
      .$if(origin !== undefined, (q) =>
        q.where('app.account_kid', origin === 'private' ? '=' : '!=', actor.account_kid),
      )
      .$if(categories !== undefined, (q) => q.where('app.category_kid', '=', any(categories!))),
    input,
    columns: {
      updated_at: { ref: sql`app.updated_at`, order: 'desc' },
      created_at: { ref: sql`app.created_at`, order: 'desc' },
      name: { ref: sql`lower(app.name)` },
      download_count: { ref: sql`app.download_count`, order: 'desc' },
      space_used: { ref: sql`app.space_used`, order: 'desc' },
    },
    key: sql`app.kid`,
  })
  return { ...page, items: await shown(actor, page.items) }
}

type Row = {
  [
    K in
      | 'kid'
      | 'account_kid'
      | 'package'
      | 'name'
      | 'developer'
      | 'category_kid'
      | 'state'
      | 'is_system_signed'
      | 'download_count'
      | 'space_used'
      | 'version_count'
      | 'created_by'
  ]: Selectable<Tables['app']>[K]
} & { created_at: Date; updated_at: Date } & {
  offered_kid: string | null
  version_name: string | null
  version_code: number | null
  size: number | null
  kind: Selectable<Tables['app_version']>['kind'] | null
  is_broken: boolean
}

async function shown<R extends Row>(actor: Actor, rows: readonly R[]): Promise<(R & App)[]> {
  const icons = await picturesOf(
    actor,
    rows.map(({ kid }) => kid),
    'icon',
  )
  return rows.map((row) => {
    const { offered_kid, version_name, version_code, size, kind, is_broken } = row
    const origin = originOf(actor, row)
    const icon = icons.find(({ app_kid }) => app_kid === row.kid)
    return {
      ...row,
      origin,
      created_by: origin === 'private' ? row.created_by : '',
      created_at: row.created_at.toISOString() as never,
      updated_at: row.updated_at.toISOString() as never,
      icon_url: icon?.url ?? null,
      offered:
        offered_kid === null
          ? null
          : {
              kid: offered_kid,
              version_name: version_name!,
              version_code: version_code!,
              size: size!,
              kind: kind!,
              is_broken,
            },
    }
  })
}

export async function picturesOf({ deps }: Actor, app_kids: readonly string[], kind: 'icon' | 'screenshot') {
  if (app_kids.length === 0) return []
  const rows = await deps.db
    .selectFrom('app_picture')
    .selectAll()
    .where('app_kid', '=', any(app_kids))
    .where('kind', '=', kind)
    .orderBy('sort')
    .execute()
  return rows.map(({ kid, app_kid, object, content_type }) => ({
    kid,
    app_kid,
    url: deps.signFile(object, { name: kind, content_type }),
  }))
}

export async function get(actor: Actor, kid: string): Promise<AppDetails> {
  const row = await seen(actor, kid)
  const [app] = await shown(actor, [row])
  const screenshots = await picturesOf(actor, [kid], 'screenshot')
  return { ...app!, intro: row.intro, screenshots, ...(await dependenciesOf(actor, kid)) }
}

/** Adds an app with its first version. */
export async function insert(librarian: Librarian, input: In<Calls['insert']>) {
  const { deps, account_kid, user } = librarian
  const { upload, facts } = await uploadedPackage(librarian, input.upload_kid)
  const complete = completed(facts, input)
  const screenshots = await pictures(librarian, input.screenshot_upload_kids)
  const own_icon = input.icon_upload_kid ? await uploadedPicture(librarian, input.icon_upload_kid) : undefined
  const icon = own_icon ?? (await iconOf(librarian, facts.icon))
  const kid = newKid()
  const now = deps.clock.now()
  const done = await violation(
    () =>
      addContent(librarian, async (trx) => {
        await assertCategory(trx, librarian, input.category_kid)
        await assertDependencies(trx, librarian, kid, input.dependency_kids)
        await trx
          .insertInto('app')
          .values({
            kid,
            account_kid,
            package: complete.package,
            name: input.name,
            developer: input.developer,
            intro: input.intro,
            category_kid: input.category_kid,
            state: input.is_listed ? 'listed' : 'delisted',
            is_system_signed: input.is_system_signed,
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: now,
            updated_at: now,
          })
          .execute()
        const version = { app_kid: kid, notes: input.notes, is_offered: true }
        const version_kid = await insertVersion(trx, librarian, upload, complete, version)
        if (icon) await keep(trx, librarian, icon, { app_kid: kid, account_kid, kind: 'icon', sort: 0 })
        for (const [sort, picture] of screenshots.entries())
          await keep(trx, librarian, picture, { app_kid: kid, account_kid, kind: 'screenshot', sort })
        await setDependencies(trx, librarian, kid, input.dependency_kids)
        return { version_kid }
      }),
    { app_package: 'app_package_taken' },
  ).catch(async (error: unknown) => {
    if (icon && !own_icon) await dropObjects(librarian, [icon.object])
    throw error
  })
  changed(librarian)
  return { kid, ...done, package: complete.package, version_name: complete.version_name }
}

async function pictures(librarian: Librarian, upload_kids: readonly string[]): Promise<Picture[]> {
  const found: Picture[] = []
  for (const kid of new Set(upload_kids)) found.push(await uploadedPicture(librarian, kid))
  return found
}

async function iconOf({ deps }: Actor, icon: { content_type: string; bytes: Uint8Array } | null) {
  if (!icon) return undefined
  const object = newKid()
  const { size } = await deps.objects.put(object, Readable.from([Buffer.from(icon.bytes)]), appLimits.picture_bytes)
  return { object, size, content_type: icon.content_type } satisfies Picture
}

async function keep(trx: Db, librarian: Librarian, picture: Picture, of: Parameters<typeof keepPicture>[2]) {
  if (picture.upload_kid) await claimUpload(trx, librarian, picture.upload_kid)
  await keepPicture(trx, picture, of)
}

export async function update(librarian: Librarian, input: In<Calls['update']>): Promise<{ name: string }> {
  const { account_kid, deps } = librarian
  const { kid, icon_upload_kid, screenshot_upload_kids = [], screenshot_kids, dependency_kids, ...draft } = input
  const added = await pictures(librarian, screenshot_upload_kids)
  const icon = icon_upload_kid ? await uploadedPicture(librarian, icon_upload_kid) : undefined
  const gone: string[] = []
  const name = await addContent(librarian, async (trx) => {
    gone.length = 0
    const app = await ownApp(trx, librarian, kid)
    await assertCategory(trx, librarian, draft.category_kid)
    if (dependency_kids) {
      await assertDependencies(trx, librarian, kid, dependency_kids)
      await setDependencies(trx, librarian, kid, dependency_kids)
    }
    if (icon) {
      gone.push(...(await dropPictures(trx, kid, 'icon', [])))
      await keep(trx, librarian, icon, { app_kid: kid, account_kid, kind: 'icon', sort: 0 })
    }
    if (screenshot_kids) gone.push(...(await dropPictures(trx, kid, 'screenshot', screenshot_kids)))
    await appendScreenshots(trx, librarian, kid, added)
    await trx
      .updateTable('app')
      .set({ ...draft, updated_at: deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    return draft.name ?? app.name
  })
  await dropObjects(librarian, gone)
  changed(librarian)
  return { name }
}

/** All of a kind but those that stay, which are put into this order. */
async function dropPictures(trx: Db, app_kid: string, kind: 'icon' | 'screenshot', stay: readonly string[]) {
  const gone = await trx
    .deleteFrom('app_picture')
    .where('app_kid', '=', app_kid)
    .where('kind', '=', kind)
    .where('kid', '!=', sql<string>`all(${stay}::uuid[])`)
    .returning('object')
    .execute()
  for (const [sort, kid] of stay.entries())
    await trx.updateTable('app_picture').set({ sort }).where('kid', '=', kid).where('app_kid', '=', app_kid).execute()
  return gone.map(({ object }) => object)
}

async function appendScreenshots(trx: Db, librarian: Librarian, app_kid: string, added: readonly Picture[]) {
  const present = await trx
    .selectFrom('app_picture')
    .select('sort')
    .where('app_kid', '=', app_kid)
    .where('kind', '=', 'screenshot')
    .orderBy('sort')
    .execute()
  const max = appLimits.screenshots
  if (present.length + added.length > max) refuse('app_pictures_limit', { max })
  const next = (present.at(-1)?.sort ?? -1) + 1
  const { account_kid } = librarian
  for (const [at, picture] of added.entries())
    await keep(trx, librarian, picture, { app_kid, account_kid, kind: 'screenshot', sort: next + at })
}

/** Only one that is delisted, that no other needs, and of which no push task is kept (specification, 4). */
export async function remove(actor: Actor, kid: string) {
  const { app, objects } = await change(actor, async (trx) => {
    const row = await ownApp(trx, actor, kid)
    if (row.state === 'listed') return refuse('app_listed')
    const needing = await trx
      .selectFrom('app_dependency')
      .select('app_kid')
      .where('needed_kid', '=', kid)
      .executeTakeFirst()
    if (needing) return refuse('app_needed')
    const pushed = await trx.selectFrom('push_task_app').select('app_kid').where('app_kid', '=', kid).executeTakeFirst()
    if (pushed) return refuse('app_has_tasks', { months: constants.device_data_retention_months })
    const pictures_ = await trx.deleteFrom('app_picture').where('app_kid', '=', kid).returning('object').execute()
    const versions = await trx.deleteFrom('app_version').where('app_kid', '=', kid).returning('object').execute()
    await trx.deleteFrom('app').where('kid', '=', kid).execute()
    return { app: row, objects: [...pictures_, ...versions].map(({ object }) => object) }
  })
  await dropObjects(actor, objects)
  changed(actor)
  return app
}
