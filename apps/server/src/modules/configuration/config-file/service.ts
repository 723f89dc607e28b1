import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { config_files_max, constants } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { contentTypeOf, validFileName } from '../../../files/names.ts'
import { takeSpace } from '../../../files/upload-space.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { lockAccount } from '../../../db/lock-account.ts'

type Calls = Contract['configFile']['calls']
type Row = Selectable<Tables['config_file']>

export async function paging({ scope }: Actor, input: In<Calls['paging']>) {
  return readPage({
    query: scope
      .selectFrom('config_file')
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
}

export async function insert({ deps, account_kid, user }: Actor, input: In<Calls['insert']>) {
  const name = validFileName(input.name)
  const bytes = Buffer.from(input.content, 'base64')
  const max = constants.config_file_bytes
  if (bytes.length > max) refuse('file_too_large', { max: bytesText(max) })
  const object = newKid()
  await deps.objects.put(object, Readable.from([bytes]), max)
  const values = {
    kid: newKid(),
    account_kid,
    name,
    description: input.description,
    path: input.path,
    size: bytes.length,
    md5: createHash('md5').update(bytes).digest('hex'),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    object,
    created_by_kid: user.kid,
    created_by: user.name,
    created_at: deps.clock.now(),
  }
  try {
    const row = await violation(
      () =>
        deps.db.transaction().execute(async (trx) => {
          // One at a time, or they could count past each other.
          await lockAccount(trx, account_kid)
          const { kept } = await trx
            .selectFrom('config_file')
            .select((eb) => eb.fn.countAll<number>().as('kept'))
            .where('account_kid', '=', account_kid)
            .executeTakeFirstOrThrow()
          if (Number(kept) >= config_files_max) refuse('storage_exceeded')
          return takeSpace(trx, { deps, account_kid }, 'file_disk', () =>
            trx.insertInto('config_file').values(values).returningAll().executeTakeFirstOrThrow(),
          )
        }),
      { config_file_name: 'duplicate_name' },
    )
    return row
  } catch (error) {
    await deps.objects.delete(object)
    throw error
  }
}

export async function download({ deps, scope }: Actor, kid: string): Promise<{ url: string; name: string }> {
  const row = await scope.selectFrom('config_file').select(['name', 'object']).where('kid', '=', kid).executeTakeFirst()
  const { name, object } = row ?? refuse('not_found')
  return { url: deps.signFile(object, { name, content_type: contentTypeOf(name) }), name }
}

/** A file that a device may still have to fetch stays. */
export async function remove({ deps, scope }: Actor, kid: string): Promise<Row> {
  const row = await scope.transaction().execute(async (trx) => {
    // A push counts itself on the file's row, so one that begins now waits for us, or we for it.
    const found = await trx.selectFrom('config_file').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
    if (!found) return refuse('not_found')
    const open = await trx
      .selectFrom('push_task')
      .select('kid')
      .where('type', '=', 'config_file')
      // Before it begins it has no devices yet.
      .where('ended_at', 'is', null)
      .where(sql<boolean>`payload::text LIKE ${`%${found.object}%`}`)
      .limit(1)
      .executeTakeFirst()
    if (open) return refuse('delete_failed')
    await trx.deleteFrom('config_file').where('kid', '=', kid).execute()
    return found
  })
  await deps.objects.delete(row.object)
  return row
}
