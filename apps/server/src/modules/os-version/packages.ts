import { isOsOut, osLimits, osStanding } from '@mdm/contract'
import type { Contract, In, OsBuild } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import { violation } from '../../db/violations.ts'
import { fileName } from '../../files/names.ts'
import { wholeUpload } from '../../files/own-upload.ts'
import type { WholeUpload } from '../../files/own-upload.ts'
import { AddressRefused, checkedAddress, reasons } from '../../lib/address.ts'
import { newKid } from '../../lib/ids.ts'
import { refuse } from '../../refusal.ts'
import { lockOwn, note, tell, titleOf, touch } from './own.ts'
import type { Db, VersionRow, Who } from './own.ts'
import { wakePackages } from './package-work.ts'

type Calls = Contract['opsOsVersion']['calls']

/** Older versions of the UID and of the one that it is based on. */
export async function listFrom({ deps }: Who, kid: string) {
  const version = await deps.db.selectFrom('os_version').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!version) return refuse('not_found')
  const rows = await related(deps.db, version)
    .where('os_version.kid', '!=', kid)
    .where('os_version.ver', '<', version.ver)
    .orderBy('os_version.ver', 'desc')
    .limit(200)
    .execute()
  return rows.filter((row) => osStanding(row, version) === 'newer')
}

const related = (db: Db, { uid_kid }: Pick<VersionRow, 'uid_kid'>) =>
  db
    .selectFrom('os_version')
    .innerJoin('os_uid', 'os_uid.kid', 'os_version.uid_kid')
    .select(['os_version.kid', 'os_version', 'version_code', 'ver', 'os_uid.code as uid_code'])
    .where((eb) =>
      eb.or([
        eb('uid_kid', '=', uid_kid),
        eb('uid_kid', '=', eb.selectFrom('os_uid as own').select('own.base_uid_kid').where('own.kid', '=', uid_kid)),
      ]),
    )

export type Uploader = Who & { uploads: Kysely<Tables> }

/** A file that was uploaded, or an address from which the server fetches it; it is read in the background. */
export async function insertPackage(who: Uploader, input: In<Calls['insert_package']>) {
  const { deps, user, uploads } = who
  const { os_version_kid, from_kid, upload_kid, url } = input
  const upload = upload_kid === undefined ? undefined : await wholeUpload(deps, uploads, user.kid, upload_kid)
  if (upload?.claimed_at) refuse('not_found')
  const address = url === undefined ? undefined : await fetchable(who, url)
  const file_name = (upload ? fileName(upload.name) : (input.file_name ?? nameIn(address!))) ?? ''
  const kid = newKid()
  const title = await violation(
    () =>
      deps.db.transaction().execute(async (trx) => {
        const version = await lockOwn(trx, who, os_version_kid)
        if (isOsOut(version.state)) refuse('os_state_wrong')
        await assertNamed(trx, version, file_name)
        const { count } = await trx
          .selectFrom('os_package')
          .select(sql<number>`count(*)::int`.as('count'))
          .where('os_version_kid', '=', os_version_kid)
          .executeTakeFirstOrThrow()
        if (count >= osLimits.packages) refuse('os_packages_limit', { max: osLimits.packages })
        const from = from_kid === null ? null : await fromOf(trx, version, from_kid)
        if (upload) await claim(trx, who, upload)
        await trx
          .insertInto('os_package')
          .values({
            kid,
            os_version_kid,
            from_build: from && JSON.stringify(from),
            file_name,
            url: address?.href ?? null,
            state: upload ? 'checking' : 'fetching',
            ...(upload && {
              size: upload.size,
              received: upload.size,
              object: upload.object,
              md5: upload.md5,
              sha256: upload.sha256,
            }),
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: deps.clock.now(),
          })
          .execute()
        await note(trx, who, os_version_kid, 'package_added', from ? `${file_name} (${titleOf(from)})` : file_name)
        await touch(trx, deps, os_version_kid)
        return titleOf(version)
      }),
    { os_package_one: 'os_package_taken' },
  )
  tell(who, os_version_kid)
  wakePackages(deps)
  return { kid, title }
}

/** "The zip file name pattern is anything, UID, anything, .zip" (specification, 5). */
async function assertNamed(trx: Db, { uid_kid }: VersionRow, file_name: string): Promise<void> {
  const { code } = await trx.selectFrom('os_uid').select('code').where('kid', '=', uid_kid).executeTakeFirstOrThrow()
  const name = file_name.toLowerCase()
  if (!name.endsWith('.zip') || !name.includes(code.toLowerCase())) refuse('os_file_name_wrong', { uid: code })
}

/** Rules of the VER that a difference leads from: another one than the OS's, and not above it. */
async function fromOf(trx: Db, version: VersionRow, from_kid: string): Promise<OsBuild> {
  const from = await related(trx, version).where('os_version.kid', '=', from_kid).executeTakeFirst()
  if (!from) return refuse('os_from_unknown')
  const { os_version, version_code, ver } = from
  if (from.kid === version.kid || ver === version.ver) refuse('os_from_same')
  if (ver > version.ver || osStanding(from, version) !== 'newer') refuse('os_from_newer')
  return { os_version, version_code, ver }
}

async function claim(trx: Db, { deps, user }: Who, { kid }: WholeUpload): Promise<void> {
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

async function fetchable({ deps }: Who, address: string): Promise<URL> {
  try {
    return (await checkedAddress(deps.config.webhook_allow, address)).url
  } catch (error) {
    if (error instanceof AddressRefused) return refuse('os_address_refused', { reason: reasons[error.reason].en })
    throw error
  }
}
const nameIn = ({ pathname }: URL): string | undefined => {
  try {
    return fileName(decodeURIComponent(pathname.split('/').at(-1) ?? ''))
  } catch {
    return undefined
  }
}

export async function retryPackage(who: Who, kid: string): Promise<{ version_kid: string; title: string }> {
  const { deps } = who
  const done = await changePackage(who, kid, async (trx, row) => {
    if (row.state !== 'failed') refuse('os_package_not_failed')
    await trx
      .updateTable('os_package')
      .set({ state: row.object ? 'checking' : 'fetching', fault: null, worked_until: null })
      .where('kid', '=', kid)
      .execute()
  })
  wakePackages(deps)
  return done
}

export async function deletePackage(who: Who, kid: string) {
  let object: string | null = null
  const done = await changePackage(who, kid, async (trx, row, version) => {
    if (isOsOut(version.state)) refuse('os_state_wrong')
    object = row.object
    await trx.deleteFrom('os_package').where('kid', '=', kid).execute()
    await note(trx, who, version.kid, 'package_removed', row.file_name)
  })
  if (object) await who.deps.objects.delete(object)
  return done
}

type Package = { kid: string; state: string; object: string | null; file_name: string }
async function changePackage(
  who: Who,
  kid: string,
  change: (trx: Db, row: Package, version: VersionRow) => Promise<void>,
): Promise<{ version_kid: string; title: string }> {
  const { deps } = who
  const found = await deps.db
    .selectFrom('os_package')
    .select('os_version_kid')
    .where('kid', '=', kid)
    .executeTakeFirst()
  if (!found) return refuse('not_found')
  const version_kid = found.os_version_kid
  const title = await deps.db.transaction().execute(async (trx) => {
    const version = await lockOwn(trx, who, version_kid)
    const row = await trx.selectFrom('os_package').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
    if (!row) return refuse('not_found')
    await change(trx, row, version)
    await touch(trx, deps, version_kid)
    return titleOf(version)
  })
  tell(who, version_kid)
  return { version_kid, title }
}
