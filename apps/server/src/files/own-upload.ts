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
