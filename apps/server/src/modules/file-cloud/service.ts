import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../actor.ts'
import { containing, readPage } from '../../db/paging.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { violation } from '../../db/violations.ts'
import type { Deps } from '../../deps.ts'
import { contentTypeOf, fileName } from '../../files/names.ts'
import { finishUpload } from '../../files/uploads.ts'
import { refuse } from '../../refusal.ts'
import { newKid } from '../../lib/ids.ts'

type Calls = Contract['fileCloud']['calls']
type Row = Selectable<Tables['file_cloud']>

export async function paging({ deps, scope }: Actor, input: In<Calls['paging']>) {
  const page = await readPage({
    query: scope
      .selectFrom('file_cloud')
      .selectAll()
      .$if(Boolean(input.text), (q) => q.where(sql`lower(name)`, 'like', containing(input.text!))),
    input,
    columns: {
      created_at: { ref: sql`created_at`, order: 'desc' },
      name: { ref: sql`lower(name)` },
      size: { ref: sql`size` },
    },
    key: sql`kid`,
  })
  return { ...page, items: page.items.map((row) => shown(deps, row)) }
}

/**
 * Keeps an upload as a file of the account. An upload is used once; whoever began it is who may keep it. A server that
 * died after the last byte finishes the upload here.
 */
export async function insert({ deps, scope, account_kid, user }: Actor, { upload_kid, name }: In<Calls['insert']>) {
  const valid = fileName(name) ?? refuse('file_name_invalid')
  const own = await scope
    .selectFrom('upload')
    .select(['kid', 'claimed_at'])
    .where('kid', '=', upload_kid)
    .where('user_kid', '=', user.kid)
    .executeTakeFirst()
  if (!own || own.claimed_at) return refuse('not_found')
  const upload = await finishUpload(deps, upload_kid)
  if (!upload?.finished_at) return refuse('upload_not_finished')
  const { object, md5, sha256 } = upload
  if (!object || !md5 || !sha256 || (await deps.objects.size(object)) !== upload.size)
    return refuse('file_transfer_failed')

  const now = deps.clock.now()
  const row = await violation(
    () =>
      scope.transaction().execute(async (transaction) => {
        const claimed = await transaction
          .updateTable('upload')
          .set({ claimed_at: now })
          .where('kid', '=', upload_kid)
          .where('claimed_at', 'is', null)
          .returning('kid')
          .executeTakeFirst()
        if (!claimed) return refuse('not_found')
        return transaction
          .insertInto('file_cloud')
          .values({
            kid: newKid(),
            account_kid,
            name: valid,
            size: upload.size,
            md5,
            sha256,
            content_type: contentTypeOf(valid),
            object,
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      }),
    { file_cloud_name: 'duplicate_name', disk_space_within: 'storage_exceeded' },
  )
  return shown(deps, row)
}

/** A file that a device may still have to fetch stays. */
export async function remove({ deps, scope }: Actor, kid: string): Promise<Row> {
  const row = await scope.transaction().execute(async (transaction) => {
    // A push counts itself on the file's row, so one that begins now waits for us, or we for it.
    const found = await transaction
      .selectFrom('file_cloud')
      .selectAll()
      .where('kid', '=', kid)
      .forUpdate()
      .executeTakeFirst()
    if (!found) return refuse('not_found')
    if (await isPushed(transaction, found)) return refuse('delete_failed')
    await transaction.deleteFrom('file_cloud').where('kid', '=', kid).execute()
    return found
  })
  await dropObject(deps, row.object)
  return row
}

/** Whether a push that has not ended on every device names the file. */
async function isPushed(trx: Kysely<Tables>, { kid, object }: Row): Promise<boolean> {
  const open = await trx
    .selectFrom('push_task')
    .select('kid')
    .where('type', '=', 'file')
    .where(sql<boolean>`total > completed + failed + canceled`)
    .where((eb) => eb.or([eb(sql`payload::text`, 'like', `%${kid}%`), eb(sql`payload::text`, 'like', `%${object}%`)]))
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** Bytes go when no row of any account refers to them. */
async function dropObject(deps: Deps, object: string): Promise<void> {
  const other = await deps.db
    .selectFrom('file_cloud')
    .select('kid')
    .where('object', '=', object)
    .limit(1)
    .executeTakeFirst()
  if (!other) await deps.objects.delete(object)
}

const shown = (deps: Deps, row: Row) => ({
  ...row,
  url: deps.signFile(row.object, { name: row.name, content_type: row.content_type }),
})
