import type { AppVersion, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { contentTypeOf, fileName } from '../../../files/names.ts'
import { isBroken } from '../../../files/object-checks.ts'
import { claimUpload } from '../../../files/own-upload.ts'
import type { WholeUpload } from '../../../files/own-upload.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { requiredAnew, requiredApps } from '../app-requirement/index.ts'
import { addContent, change, changed, dropObjects, originOf, ownApp, seen } from './library.ts'
import type { Db, Librarian } from './library.ts'
import { areSameSigners, completed, highestOf, uploadedPackage } from './packages.ts'
import type { Complete } from './packages.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['appCenter']['calls']
type Row = Selectable<Tables['app_version']> & { is_broken: boolean }
const is_broken = isBroken('app_version.object').as('is_broken')

export async function pagingVersions(actor: Actor, input: In<Calls['paging_version']>) {
  const app = await seen(actor, input.app_kid)
  const page = await readPage({
    query: actor.deps.db.selectFrom('app_version').selectAll().select(is_broken).where('app_kid', '=', app.kid),
    input,
    columns: {
      version_code: { ref: sql`version_code`, order: 'desc' },
      created_at: { ref: sql`created_at`, order: 'desc' },
      size: { ref: sql`size`, order: 'desc' },
    },
    key: sql`kid`,
  })
  return { ...page, items: page.items.map((row) => shown(actor, row, app.offered_kid)) }
}

export async function getVersion(actor: Actor, kid: string): Promise<AppVersion> {
  const { row, app } = await seenVersion(actor, kid)
  return shown(actor, row, app.offered_kid)
}

/** A version of an app that the account sees. */
async function seenVersion(actor: Actor, kid: string) {
  const row = await actor.deps.db
    .selectFrom('app_version')
    .selectAll()
    .select(is_broken)
    .where('kid', '=', kid)
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  return { row, app: await seen(actor, row.app_kid) }
}

const shown = (actor: Actor, row: Row, offered_kid: string | null): AppVersion => ({
  ...row,
  is_offered: row.kid === offered_kid,
  created_by: originOf(actor, row) === 'private' ? row.created_by : '',
  created_at: row.created_at.toISOString(),
})

type Wanted = { app_kid: string; notes: string; is_offered: boolean }
/** The upload is the version's from then on. */
export async function insertVersion(
  trx: Db,
  librarian: Librarian,
  upload: WholeUpload,
  facts: Complete,
  { app_kid, notes, is_offered }: Wanted,
): Promise<string> {
  const { deps, account_kid, user } = librarian
  const kid = newKid()
  await claimUpload(trx, librarian, upload.kid)
  await trx
    .insertInto('app_version')
    .values({
      kid,
      app_kid,
      account_kid,
      version_name: facts.version_name,
      version_code: facts.version_code,
      kind: facts.kind,
      file_name: packageFileName(upload.name, facts),
      size: upload.size,
      md5: upload.md5,
      sha256: upload.sha256,
      object: upload.object,
      signers: facts.signers,
      signature_scheme: facts.scheme,
      min_sdk: facts.min_sdk,
      target_sdk: facts.target_sdk,
      abis: facts.abis,
      permissions: facts.permissions,
      splits: JSON.stringify(facts.splits),
      left_out: facts.left_out,
      notes,
      is_typed: facts.is_typed,
      created_by_kid: user.kid,
      created_by: user.name,
      created_at: deps.clock.now(),
    })
    .execute()
  await trx
    .insertInto('app_version_settings')
    .values({ version_kid: kid, account_kid, settings: JSON.stringify(facts.settings) })
    .execute()
  if (is_offered) await trx.updateTable('app').set({ offered_version_kid: kid }).where('kid', '=', app_kid).execute()
  return kid
}

/** Devices and people go by the ending. */
function packageFileName(given: string, { kind, package: name, version_code }: Complete): string {
  const valid = fileName(given) ?? `${name}-${version_code}.${kind}`
  if (valid.toLowerCase().endsWith(`.${kind}`)) return valid
  return fileName(`${valid}.${kind}`) ?? `${name}-${version_code}.${kind}`
}

export async function addVersion(librarian: Librarian, input: In<Calls['insert_version']>) {
  const known = await librarian.scope
    .selectFrom('app')
    .select('kid')
    .where('kid', '=', input.app_kid)
    .executeTakeFirst()
  if (!known) return refuse('not_found')
  const { upload, facts } = await uploadedPackage(librarian, input.upload_kid)
  const made = await violation(
    () =>
      addContent(librarian, async (trx) => {
        const app = await ownApp(trx, librarian, input.app_kid)
        // Of a package that does not say its name, the app's is meant.
        const complete = completed(facts, { ...input, package: input.package ?? app.package })
        if (complete.package !== app.package)
          return refuse('app_package_differs', { found: complete.package, package: app.package })
        const highest = await highestOf(trx, app.kid)
        const is_same_signer = !highest || areSameSigners(highest.signers, complete.signers)
        if (!is_same_signer && !input.is_signer_accepted) return refuse('app_signer_differs')
        if (highest && input.is_offered && complete.version_code < highest.version_code)
          return refuse('app_version_lower', { highest: `${highest.version_name} (${highest.version_code})` })
        const kid = await insertVersion(trx, librarian, upload, complete, {
          app_kid: app.kid,
          notes: input.notes,
          is_offered: input.is_offered || app.offered_version_kid === null,
        })
        await touch(trx, librarian, app.kid)
        if (input.is_offered) await requiredAnew(trx, app.kid, librarian.deps.clock.now())
        return { kid, name: app.name, version: complete.version_name, is_same_signer }
      }),
    { app_version_code: 'duplicate_version' },
  )
  changed(librarian)
  wake(librarian.deps, requiredApps)
  return made
}

const touch = (trx: Db, { deps }: Actor, kid: string) =>
  trx.updateTable('app').set({ updated_at: deps.clock.now() }).where('kid', '=', kid).execute()

/** A version of the account's own, with its app, which is locked. */
async function ownVersion(trx: Db, actor: Actor, kid: string) {
  const row = await trx
    .selectFrom('app_version')
    .selectAll()
    .where('kid', '=', kid)
    .where('account_kid', '=', actor.account_kid)
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  return { row, app: await ownApp(trx, actor, row.app_kid) }
}

/** What is said of a change: which version of which app. */
export type Named = { name: string; version: string }

export async function updateVersion(actor: Actor, { kid, ...draft }: In<Calls['update_version']>): Promise<Named> {
  const named = await change(actor, async (trx) => {
    const { row, app } = await ownVersion(trx, actor, kid)
    if (draft.version_name !== undefined && draft.version_name !== row.version_name && !row.is_typed)
      return refuse('app_facts_read')
    if (Object.keys(draft).length > 0) await trx.updateTable('app_version').set(draft).where('kid', '=', kid).execute()
    await touch(trx, actor, app.kid)
    return { name: app.name, version: draft.version_name ?? row.version_name }
  })
  changed(actor)
  return named
}

/** Also an older one: then devices that have none get that, and those that have a newer one keep it. */
export async function offerVersion(actor: Actor, kid: string): Promise<Named> {
  const named = await change(actor, async (trx) => {
    const { row, app } = await ownVersion(trx, actor, kid)
    await trx.updateTable('app').set({ offered_version_kid: kid }).where('kid', '=', app.kid).execute()
    await touch(trx, actor, app.kid)
    await requiredAnew(trx, app.kid, actor.deps.clock.now())
    return { name: app.name, version: row.version_name }
  })
  changed(actor)
  wake(actor.deps, requiredApps)
  return named
}

/** Whether a push that has not ended brings it. */
async function isPushed(trx: Db, version_kid: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM push_task_app p JOIN push_task k ON k.kid = p.push_task_kid
    WHERE p.version_kid = ${version_kid} AND k.ended_at IS NULL LIMIT 1
  `.execute(trx)
  return rows.length > 0
}

/** Of a delisted app also the offered one; then the highest that is left is offered. */
export async function removeVersion(actor: Actor, kid: string): Promise<Named> {
  const { object, ...named } = await change(actor, async (trx) => {
    const { row, app } = await ownVersion(trx, actor, kid)
    const is_offered = app.offered_version_kid === kid
    if (is_offered && app.state === 'listed') return refuse('app_version_offered')
    if (await isPushed(trx, kid)) return refuse('app_version_has_tasks')
    await trx.deleteFrom('app_version').where('kid', '=', kid).execute()
    if (is_offered) {
      const next = await trx
        .selectFrom('app_version')
        .select('kid')
        .where('app_kid', '=', app.kid)
        .orderBy('version_code', 'desc')
        .limit(1)
        .executeTakeFirst()
      const offered_version_kid = next?.kid ?? null
      await trx.updateTable('app').set({ offered_version_kid }).where('kid', '=', app.kid).execute()
    }
    await touch(trx, actor, app.kid)
    return { name: app.name, version: row.version_name, object: row.object }
  })
  await dropObjects(actor, [object])
  changed(actor)
  return named
}

/** An address for a person, counted as a download of the app, whosever it is. */
export async function downloadVersion(actor: Actor, kid: string): Promise<Named & { url: string }> {
  const { deps } = actor
  const { row, app } = await seenVersion(actor, kid)
  await deps.db
    .updateTable('app')
    .set({ download_count: sql`download_count + 1` })
    .where('kid', '=', app.kid)
    .execute()
  const url = deps.signFile(row.object, { name: row.file_name, content_type: contentTypeOf(row.file_name) })
  return { url, name: app.name, version: row.version_name }
}
