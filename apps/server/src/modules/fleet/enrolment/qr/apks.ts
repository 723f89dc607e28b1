import { createHash } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { contentTypeOf, fileName } from '../../../../files/names.ts'
import { objectSource } from '../../../../files/object-store.ts'
import { wholeUpload } from '../../../../files/own-upload.ts'
import { takeSpace } from '../../../../files/upload-space.ts'
import { refuse } from '../../../../refusal.ts'
import { newKid } from '../../../../lib/ids.ts'
import { inWorker } from '../../../../workers/service.ts'

export type Apk = Selectable<Tables['enrolment_apk']>

/** A QR code on a wall works for years, so its address does; it ends when the APK is deleted. */
const address_seconds = 20 * 365 * 24 * 3_600

/** Whoever holds the address may read it: a device in its set-up has no credential yet. */
export const apkPath = (deps: Deps, { object, name }: Apk): string =>
  deps.signFile(object, { name, content_type: contentTypeOf(name), seconds: address_seconds })

export const listApks = ({ scope }: Actor): Promise<Apk[]> =>
  scope.selectFrom('enrolment_apk').selectAll().orderBy('created_at', 'desc').orderBy('kid', 'desc').execute()

export async function apkOf(scope: Kysely<Tables>, kid: string): Promise<Apk> {
  const found = await scope.selectFrom('enrolment_apk').selectAll().where('kid', '=', kid).executeTakeFirst()
  return found ?? refuse('not_found')
}

/**
 * Keeps an upload as an APK of the account. The same upload, and the same bytes in another, lead to the one that is kept
 * already, so a call that failed later can be made again. `signal` is aborted when the client disconnects.
 */
export async function keepApk(actor: Actor, upload_kid: string, signal: AbortSignal | undefined): Promise<Apk> {
  const { deps, scope, account_kid, user } = actor
  const upload = await wholeUpload(deps, scope, user.kid, upload_kid)
  const { object, sha256, size } = upload
  const known = await sameApk(scope, sha256)
  if (known) return known
  if (upload.claimed_at) return refuse('not_found')
  const by = { account_kid, user_kid: user.kid, signal }
  const { scheme, certificate } = await inWorker(deps, 'signer', {}, objectSource(deps.objects, object, size), by)
  const now = deps.clock.now()
  // Not the account's own: the space is its customer's as well. The upload was looked for among the account's.
  const kept = await deps.db.transaction().execute((trx) =>
    takeSpace(trx, actor, 'app_center', async () => {
      const row = await trx
        .insertInto('enrolment_apk')
        .values({
          kid: newKid(),
          account_kid,
          name: apkName(upload.name),
          size,
          sha256,
          object,
          signature_checksum: createHash('sha256').update(certificate).digest('base64url'),
          signature_scheme: scheme,
          created_by_kid: user.kid,
          created_by: user.name,
          created_at: now,
        })
        .onConflict((conflict) => conflict.columns(['account_kid', 'sha256']).doNothing())
        .returningAll()
        .executeTakeFirst()
      // The bytes are now the row's; those of an upload that brought nothing new are purged with it.
      if (row && !(await claim(trx, upload_kid, now))) return refuse('not_found')
      return row
    }),
  )
  return kept ?? (await sameApk(scope, sha256)) ?? refuse('not_found')
}

const sameApk = (scope: Kysely<Tables>, sha256: string): Promise<Apk | undefined> =>
  scope.selectFrom('enrolment_apk').selectAll().where('sha256', '=', sha256).executeTakeFirst()

const claim = (trx: Kysely<Tables>, kid: string, now: Date) =>
  trx
    .updateTable('upload')
    .set({ claimed_at: now })
    .where('kid', '=', kid)
    .where('claimed_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()

/** Devices go by the ending. */
function apkName(given: string): string {
  const name = fileName(given) ?? 'agent.apk'
  return /\.apk$/i.test(name) ? name : `${name.slice(0, 250)}.apk`
}

/** Codes that name it lead to nothing from now on. */
export async function deleteApk({ deps, scope }: Actor, kid: string): Promise<Apk> {
  const gone = await scope.deleteFrom('enrolment_apk').where('kid', '=', kid).returningAll().executeTakeFirst()
  if (!gone) return refuse('not_found')
  await deps.objects.delete(gone.object)
  return gone
}

/** Removes what accounts that are gone left behind. Returns how many. */
export async function purgeOwnerless({ db, objects }: Deps): Promise<number> {
  const rows = await db.selectFrom('enrolment_apk').selectAll().where('account_kid', 'is', null).limit(500).execute()
  for (const { kid, object } of rows) {
    await objects.delete(object)
    await db.deleteFrom('enrolment_apk').where('kid', '=', kid).execute()
  }
  return rows.length
}
