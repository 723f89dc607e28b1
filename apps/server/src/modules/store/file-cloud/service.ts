import type { CloudFile, CloudFileDetails, CloudFolder, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import { contentTypeOf, validFileName } from '../../../files/names.ts'
import { isBroken } from '../../../files/object-checks.ts'
import { claimUpload, wholeUpload } from '../../../files/own-upload.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { chainOf, devicePlace, foldersAbove } from './cloud-places.ts'
import type { Folders } from './cloud-places.ts'
import { addFiles, any, assertFolder, change, changed, originOf, ownersOf, ownRows } from './space.ts'
import type { Keeper, Row } from './space.ts'

type Calls = Contract['fileCloud']['calls']

export async function paging(actor: Actor, input: In<Calls['paging']>) {
  const { deps, account_kid } = actor
  const { text, folder_kid, is_flat, is_deep: asks_deep, kids, kind, origin, is_visible, is_broken } = input
  const owners = await ownersOf(deps.db, actor)
  /** A search, and a list of files alone, go into the folders below. */
  const is_deep = is_flat === true || asks_deep === true || is_broken === true || Boolean(text)
  const page = await readPage({
    query: deps.db
      .selectFrom('file_cloud')
      .selectAll()
      .select(broken.as('is_broken'))
      .where('account_kid', '=', any(owners))
      .$if(kids !== undefined, (q) => q.where('kid', '=', any(kids!)))
      .$if(kids === undefined && !is_deep, (q) =>
        q.where('parent_kid', folder_kid === undefined ? 'is' : '=', folder_kid ?? null),
      )
      .$if(kids === undefined && is_deep && folder_kid !== undefined, (q) =>
        q.where('parent_kid', '=', sql<string>`any(${foldersBelow(folder_kid!)})`),
      )
      .$if(is_flat === true, (q) => q.where('is_folder', '=', false))
      .$if(Boolean(text), (q) => q.where(sql`lower(name)`, 'like', containing(text!)))
      .$if(kind !== undefined, (q) => q.where('is_folder', '=', kind === 'folder'))
      .$if(origin !== undefined, (q) => q.where('account_kid', origin === 'private' ? '=' : '!=', account_kid))
      .$if(is_visible !== undefined, (q) => q.where('is_visible', '=', is_visible!))
      .$if(is_broken !== undefined, (q) => q.where(broken, '=', is_broken!)),
    input,
    columns: {
      // Folders stand before files.
      name: { ref: sql`(CASE WHEN is_folder THEN '0' ELSE '1' END || lower(name))` },
      created_at: { ref: sql`created_at`, order: 'desc' },
      size: { ref: sql`size` },
    },
    key: sql`kid`,
  })
  const folders = await foldersAbove(
    deps.db,
    page.items.flatMap(({ kid, parent_kid, is_folder }) => (is_folder ? [kid] : [parent_kid])),
  )
  return { ...page, items: page.items.map((row) => shown(actor, row, folders)) }
}

const broken = isBroken('file_cloud.object')

/** A folder and all below it, as an array in SQL. */
const foldersBelow = (kid: string) => sql`array(
  WITH RECURSIVE below AS (
    SELECT ${kid}::uuid AS kid
    UNION SELECT f.kid FROM file_cloud f JOIN below ON f.parent_kid = below.kid WHERE f.is_folder
  ) SELECT kid FROM below)`

function shown(actor: Actor, row: Row & { is_broken?: boolean }, folders: Folders): CloudFile {
  const chain = chainOf(folders, row.parent_kid)
  const origin = originOf(actor, row)
  return {
    ...row,
    is_broken: row.is_broken ?? false,
    origin,
    path: chain.map(({ name }) => `${name}/`).join(''),
    device_path: devicePlace(row.is_folder ? [...chain, row] : chain),
    url:
      row.object === null ? null : actor.deps.signFile(row.object, { name: row.name, content_type: row.content_type }),
    // Names of other accounts' people are not told, nor how often others pushed it.
    created_by: origin === 'private' ? row.created_by : '',
    push_count: origin === 'private' ? row.push_count : 0,
    created_at: row.created_at.toISOString() as never,
    updated_at: row.updated_at.toISOString() as never,
  }
}

export async function get(actor: Actor, kid: string): Promise<CloudFileDetails> {
  const row = await actor.deps.db
    .selectFrom('file_cloud')
    .selectAll()
    .select(broken.as('is_broken'))
    .where('kid', '=', kid)
    .where('account_kid', '=', any(await ownersOf(actor.deps.db, actor)))
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  const folders = await foldersAbove(actor.deps.db, [row.parent_kid])
  return {
    ...shown(actor, row, folders),
    folders: chainOf(folders, row.parent_kid).map((folder) => ({ kid: folder.kid, name: folder.name })),
    own_device_path: row.device_path,
  }
}

export async function listFolders({ scope }: Actor): Promise<CloudFolder[]> {
  const rows = await scope
    .selectFrom('file_cloud')
    .select(['kid', 'parent_kid', 'name', 'device_path'])
    .where('is_folder', '=', true)
    .orderBy(sql`lower(name)`)
    .execute()
  const folders = new Map(rows.map((row) => [row.kid, row]))
  return rows.map((row) => ({ ...row, device_path: devicePlace([...chainOf(folders, row.parent_kid), row]) }))
}

/**
 * Keeps an upload as a file. An upload is used once; whoever began it is who may keep it. A server that died after the
 * last byte finishes the upload here.
 */
export async function insert(keeper: Keeper, { upload_kid, name, folder_kid, is_visible }: In<Calls['insert']>) {
  const { deps, account_kid, user, uploads } = keeper
  const valid = validFileName(name)
  const { claimed_at, object, md5, sha256, size } = await wholeUpload(deps, uploads, user.kid, upload_kid)
  if (claimed_at) return refuse('not_found')
  const now = deps.clock.now()
  const row = await violation(
    () =>
      addFiles(keeper, async (trx) => {
        await claimUpload(trx, keeper, upload_kid)
        await assertFolder(trx, keeper, folder_kid)
        return trx
          .insertInto('file_cloud')
          .values({
            kid: newKid(),
            account_kid,
            parent_kid: folder_kid,
            name: valid,
            is_visible,
            size,
            md5,
            sha256,
            content_type: contentTypeOf(valid),
            object,
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: now,
            updated_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      }),
    { file_cloud_name: 'duplicate_name' },
  )
  changed(keeper)
  return shown(keeper, row, await foldersAbove(deps.db, [folder_kid]))
}

/** Renames, shows or hides, and for a folder says where on devices its files belong. */
export async function update(actor: Actor, { kid, name, is_visible, device_path }: In<Calls['update']>) {
  const valid = name === undefined ? undefined : validFileName(name)
  const before = await violation(
    () =>
      change(actor, async (trx) => {
        const [row] = await ownRows(trx, actor, [kid])
        await trx
          .updateTable('file_cloud')
          .set({
            ...(valid !== undefined && { name: valid }),
            ...(valid !== undefined && !row!.is_folder && { content_type: contentTypeOf(valid) }),
            ...(is_visible !== undefined && { is_visible }),
            ...(row!.is_folder && device_path !== undefined && { device_path }),
            updated_at: actor.deps.clock.now(),
          })
          .where('kid', '=', kid)
          .execute()
        return row!
      }),
    { file_cloud_name: 'duplicate_name' },
  )
  changed(actor)
  return { before: before.name, name: valid ?? before.name }
}

/** A file that a device may still have to fetch stays, and a folder with one in it. Returns what went, and what stayed. */
export async function remove(actor: Actor, kids: readonly string[]): Promise<{ gone: Row[]; kept: Row[] }> {
  const { gone, kept, objects } = await change(actor, async (trx) => {
    const rows = await ownRows(trx, actor, kids)
    const done = { gone: [] as Row[], kept: [] as Row[], objects: [] as string[] }
    for (const row of rows) {
      const within = await lockedWithin(actor, trx, row)
      // One that was chosen together with the folder that it is in.
      if (within.length === 0) done.gone.push(row)
      else if (await arePushed(trx, within)) done.kept.push(row)
      else {
        await trx
          .deleteFrom('file_cloud')
          .where('kid', '=', any(within.map(({ kid }) => kid)))
          .execute()
        done.gone.push(row)
        done.objects.push(...within.flatMap(({ object }) => object ?? []))
      }
    }
    return done
  })
  if (gone.length > 0) changed(actor)
  await dropObjects(actor, objects)
  return { gone, kept }
}

/** A push counts itself on the file's row, so one that begins now waits for us, or we for it. */
async function lockedWithin({ account_kid }: Actor, trx: Parameters<typeof ownRows>[0], { kid }: Row) {
  return trx
    .selectFrom('file_cloud')
    .select(['kid', 'object'])
    .where('account_kid', '=', account_kid)
    .where((eb) => eb.or([eb('kid', '=', kid), eb('parent_kid', '=', sql<string>`any(${foldersBelow(kid)})`)]))
    .forUpdate()
    .execute()
}

/** Whether a push that has not ended, of any account, names one of them. */
async function arePushed(trx: Parameters<typeof ownRows>[0], rows: readonly { kid: string }[]): Promise<boolean> {
  const { rows: found } = await sql`
    SELECT 1 FROM unnest(${rows.map(({ kid }) => kid)}::text[]) AS wanted (kid)
    WHERE EXISTS (
      SELECT 1 FROM push_task WHERE type = 'file' AND ended_at IS NULL
        AND payload @> jsonb_build_object('files', jsonb_build_array(jsonb_build_object('kid', wanted.kid)))
    ) LIMIT 1`.execute(trx)
  return found.length > 0
}

/** Bytes go when no row of any account refers to them: copies share them. */
async function dropObjects({ deps }: Actor, objects: readonly string[]): Promise<void> {
  const wanted = [...new Set(objects)]
  if (wanted.length === 0) return
  const others = await deps.db
    .selectFrom('file_cloud')
    .select('object')
    .where('object', '=', sql<string>`any(${wanted}::text[])`)
    .execute()
  const kept = new Set(others.map(({ object }) => object))
  for (const object of wanted) if (!kept.has(object)) await deps.objects.delete(object)
}
