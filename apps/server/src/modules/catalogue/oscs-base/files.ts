import { errorMessage } from '@mdm/contract'
import type { Language, OscsFile, OscsFileKind } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { fileName } from '../../../files/names.ts'
import { claimUpload, wholeUpload } from '../../../files/own-upload.ts'
import type { WholeUpload } from '../../../files/own-upload.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { baseFiles } from './file-work.ts'
import { wake } from '../../../lib/background.ts'

export type Db = Kysely<Tables>
export type FileRow = Selectable<Tables['oscs_file']>
export type Taken = { kind: OscsFileKind; upload: WholeUpload; file_name: string }

/** A finished upload of this person whose name may be that of a package. @throws `oscs_not_zip` */
export async function taken({ deps, scope, user }: Actor, kind: OscsFileKind, kid: string): Promise<Taken> {
  const upload = await wholeUpload(deps, scope, user.kid, kid)
  if (upload.claimed_at) return refuse('not_found')
  const file_name = fileName(upload.name) ?? ''
  if (!file_name.toLowerCase().endsWith('.zip')) refuse('oscs_not_zip', { name: upload.name })
  return { kind, upload, file_name }
}

/** "The zip file name pattern is anything, UID, anything, .zip" (specification, 5). */
export function assertNamed(file_name: string, uid: string): void {
  if (!file_name.toLowerCase().includes(uid.toLowerCase())) refuse('os_file_name_wrong', { uid })
}

type Of = { model_kid: string } | { base_kid: string }
/** Keeps an upload as the file of its kind, in the place of one that was there. Returns the object of that one. */
export async function keepFile(trx: Db, actor: Actor, of: Of, file: Taken): Promise<string[]> {
  const { deps, user } = actor
  const { upload, kind, file_name } = file
  const now = deps.clock.now()
  await claimUpload(trx, actor, upload.kid)
  const old = await trx
    .deleteFrom('oscs_file')
    .where('kind', '=', kind)
    .where('model_kid' in of ? 'model_kid' : 'base_kid', '=', 'model_kid' in of ? of.model_kid : of.base_kid)
    .returning('object')
    .execute()
  const { object, size, md5, sha256 } = upload
  await trx
    .insertInto('oscs_file')
    .values({
      kid: newKid(),
      kind,
      ...of,
      file_name,
      object,
      size,
      md5,
      sha256,
      state: 'checking',
      created_by_kid: user.kid,
      created_by: user.name,
      created_at: now,
    })
    .execute()
  return old.map((row) => row.object)
}

/** Their bytes, once no row refers to them any more. */
export async function dropObjects({ deps }: Pick<Actor, 'deps'>, objects: readonly string[]): Promise<void> {
  for (const object of objects) await deps.objects.delete(object)
}

export async function filesOf(
  { deps }: Pick<Actor, 'deps'>,
  column: 'model_kid' | 'base_kid',
  kids: readonly string[],
): Promise<FileRow[]> {
  return deps.db
    .selectFrom('oscs_file')
    .selectAll()
    .where(column, '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
}

export function shownFile(row: FileRow, language: Language): OscsFile {
  const { kid, kind, file_name, size, md5, sha256, state, fault, created_by, created_at } = row
  return {
    kid,
    kind,
    file_name,
    size,
    md5,
    sha256,
    state,
    fault: fault && errorMessage(fault.name, language, fault.details),
    created_by,
    created_at: created_at.toISOString(),
  }
}

/** As it was uploaded, whatever its check says of it. */
export async function downloadFile({ deps }: Actor, kid: string, is_of_model: boolean) {
  const row = await deps.db
    .selectFrom('oscs_file')
    .select(['object', 'file_name', 'model_kid', 'base_kid'])
    .where('kid', '=', kid)
    .where('kind', is_of_model ? '=' : '!=', 'sum')
    .executeTakeFirst()
  const { object, file_name: name, model_kid, base_kid } = row ?? refuse('not_found')
  const url = deps.signFile(object, { name, content_type: 'application/zip' })
  return { url, of: (model_kid ?? base_kid)!, name }
}

export async function retryFile(who: Actor, kid: string, is_of_model: boolean): Promise<{ of: string; name: string }> {
  const row = await who.deps.db
    .updateTable('oscs_file')
    .set({ state: 'checking', fault: null, next_at: null })
    .where('kid', '=', kid)
    .where('state', '=', 'failed')
    .where('kind', is_of_model ? '=' : '!=', 'sum')
    .returningAll()
    .executeTakeFirst()
  if (!row) {
    const there = await who.deps.db.selectFrom('oscs_file').select('kind').where('kid', '=', kid).executeTakeFirst()
    return refuse(there && (there.kind === 'sum') === is_of_model ? 'os_package_not_failed' : 'not_found')
  }
  wake(who.deps, baseFiles)
  tell(who)
  return { of: (row.model_kid ?? row.base_kid)!, name: row.file_name }
}

export const tell = ({ deps }: Pick<Actor, 'deps'>): void => deps.live.publish(null, { type: 'oscs_changed' })
