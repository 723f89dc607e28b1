import type { InterruptedUpload } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../refusal.ts'
import { finishUpload } from './uploads.ts'

type Upload = Selectable<Tables['upload']>
export type WholeUpload = Upload & { object: string; md5: string; sha256: string }

/** An upload of this person, all of whose bytes are in the object store. Finishes what a server that died left. */
export async function wholeUpload(
  deps: Deps,
  scope: Kysely<Tables>,
  user_kid: string,
  kid: string,
): Promise<WholeUpload> {
  const own = await scope
    .selectFrom('upload')
    .select('kid')
    .where('kid', '=', kid)
    .where('user_kid', '=', user_kid)
    .executeTakeFirst()
  if (!own) return refuse('not_found')
  const upload = await finishUpload(deps, kid)
  if (!upload?.finished_at) return refuse('upload_not_finished')
  const { object, md5, sha256 } = upload
  if (!object || !md5 || !sha256 || (await deps.objects.size(object)) !== upload.size)
    return refuse('file_transfer_failed')
  return { ...upload, object, md5, sha256 }
}

type Owner = { deps: Deps; user: { kid: string } }
/** An upload of this person becomes something else, once. */
export async function claimUpload(trx: Kysely<Tables>, { deps, user }: Owner, kid: string): Promise<void> {
  const claimed = await trx
    .updateTable('upload')
    .set({ claimed_at: deps.clock.now() })
    .where('kid', '=', kid)
    .where('user_kid', '=', user.kid)
    .where('claimed_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()
  if (!claimed) refuse('not_found')
}

/** Uploads of this person to one of the spaces that can be gone on with, the newest first. */
export async function interruptedUploads(
  { uploads, user }: { uploads: Kysely<Tables>; user: { kid: string } },
  area: Upload['area'],
): Promise<InterruptedUpload[]> {
  const rows = await uploads
    .selectFrom('upload')
    .select(['kid as upload_kid', 'name', 'fingerprint', 'size', 'received', 'created_at'])
    .where('user_kid', '=', user.kid)
    .where('area', '=', area)
    .where('claimed_at', 'is', null)
    .where('finished_at', 'is', null)
    .where('fingerprint', '<>', '')
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() as never }))
}
