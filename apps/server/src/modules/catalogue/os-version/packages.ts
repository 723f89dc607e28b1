import { isOsOut, osLimits, osStanding } from '@mdm/contract'
import type { Contract, In, Language, OsBuild } from '@mdm/contract'
import { osFormats } from '@mdm/device-link'
import type { OsPackageFormat } from '@mdm/device-link'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { contentTypeOf, fileName } from '../../../files/names.ts'
import { claimUpload, wholeUpload } from '../../../files/own-upload.ts'
import { AddressRefused, checkedAddress, reasons } from '../../../lib/address.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { fullOf, osDeltas } from './delta-work.ts'
import { isOffered, lockOwn, note, tell, titleOf, touch } from './locked-version.ts'
import type { Db, VersionRow } from './locked-version.ts'
import { osPackages } from './package-work.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['opsOsVersion']['calls']

/** Older versions of the UID and of the one that it is based on. */
export async function listFrom({ deps }: Actor, kid: string) {
  const version = await deps.db.selectFrom('os_version').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!version) return refuse('not_found')
  const rows = await related(deps.db, version)
    .select((eb) =>
      eb
        .selectFrom('os_package')
        .select('os_package.size')
        .whereRef('os_package.os_version_kid', '=', 'os_version.kid')
        .where('from_build', 'is', null)
        .where('os_package.state', '=', 'ready')
        .where('os_package.format', '=', 'zip')
        .as('full_size'),
    )
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

/** A file that was uploaded, or an address from which the server fetches it; it is read in the background. */
export async function insertPackage(who: Actor, input: In<Calls['insert_package']>, language: Language) {
  const { deps, scope, user } = who
  const { os_version_kid, from_kid, upload_kid, url } = input
  const upload = upload_kid === undefined ? undefined : await wholeUpload(deps, scope, user.kid, upload_kid)
  if (upload?.claimed_at) refuse('not_found')
  const address = url === undefined ? undefined : await fetchable(who, url, language)
  const file_name = (upload ? fileName(upload.name) : (input.file_name ?? nameIn(address!))) ?? ''
  const kid = newKid()
  const title = await violation(
    () =>
      deps.db.transaction().execute(async (trx) => {
        const version = await lockOwn(trx, who, os_version_kid)
        // A difference may join what is out; what devices were told of stays.
        if (isOsOut(version.state) && from_kid === null) refuse('os_state_wrong')
        const format = await formatOf(trx, version, file_name)
        await assertRoomFor(trx, os_version_kid, 1)
        const from = from_kid === null ? null : await fromOf(trx, version, from_kid)
        if (upload) await claimUpload(trx, who, upload.kid)
        await trx
          .insertInto('os_package')
          .values({
            kid,
            os_version_kid,
            from_build: from && JSON.stringify(from),
            format,
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
  wake(deps, osPackages)
  return { kid, title }
}

/** The server makes a difference from each of these versions, one after the other, in the background. */
export async function makeDifferences(who: Actor, { os_version_kid, from_kids }: In<Calls['make_differences']>) {
  const { deps, user } = who
  const made = await violation(
    () =>
      deps.db.transaction().execute(async (trx) => {
        const version = await lockOwn(trx, who, os_version_kid)
        await fullOf(trx, os_version_kid, version)
        await assertRoomFor(trx, os_version_kid, from_kids.length)
        const { code } = await uidOf(trx, version)
        const kids: string[] = []
        for (const from_kid of from_kids) {
          const from = await fromOf(trx, version, from_kid)
          await fullOf(trx, from_kid, from)
          const kid = newKid()
          kids.push(kid)
          const file_name = `${code}_${from.os_version}_${from.ver}_to_${version.os_version}_${version.ver}.zip`
          await trx
            .insertInto('os_package')
            .values({
              kid,
              os_version_kid,
              from_build: JSON.stringify(from),
              from_kid,
              is_made: true,
              file_name,
              state: 'making',
              created_by_kid: user.kid,
              created_by: user.name,
              created_at: deps.clock.now(),
            })
            .execute()
          await note(trx, who, os_version_kid, 'package_added', `${file_name} (${titleOf(from)})`)
        }
        await touch(trx, deps, os_version_kid)
        return { kids, title: titleOf(version) }
      }),
    { os_package_one: 'os_package_taken' },
  )
  tell(who, os_version_kid)
  wake(deps, osDeltas)
  return made
}

async function assertRoomFor(trx: Db, os_version_kid: string, more: number): Promise<void> {
  const { count } = await trx
    .selectFrom('os_package')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('os_version_kid', '=', os_version_kid)
    .executeTakeFirstOrThrow()
  if (count + more > osLimits.packages) refuse('os_packages_limit', { max: osLimits.packages })
}

const uidOf = (trx: Db, { uid_kid }: VersionRow) =>
  trx.selectFrom('os_uid').select('code').where('kid', '=', uid_kid).executeTakeFirstOrThrow()

/** "The zip file name pattern is anything, UID, anything, .zip" (specification, 5). Updaters of others go by the ending alone. */
async function formatOf(trx: Db, version: VersionRow, file_name: string): Promise<OsPackageFormat> {
  const { code } = await uidOf(trx, version)
  const name = file_name.toLowerCase()
  const format = osFormats.find((each) => name.endsWith(`.${each}`))
  if (!format || (format === 'zip' && !name.includes(code.toLowerCase())))
    return refuse('os_file_name_wrong', { uid: code })
  return format
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

async function fetchable({ deps }: Actor, address: string, language: Language): Promise<URL> {
  try {
    return (await checkedAddress(deps.config.webhook_allow, address)).url
  } catch (error) {
    if (error instanceof AddressRefused)
      return refuse('os_address_refused', { reason: reasons[error.reason][language] })
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

export async function retryPackage(who: Actor, kid: string): Promise<{ version_kid: string; title: string }> {
  const { deps } = who
  const done = await changePackage(who, kid, async (trx, row) => {
    if (row.state !== 'failed') refuse('os_package_not_failed')
    await trx
      .updateTable('os_package')
      .set({
        state: row.is_made ? 'making' : row.object ? 'checking' : 'fetching',
        progress: 0,
        fault: null,
        next_at: null,
      })
      .where('kid', '=', kid)
      .execute()
  })
  wake(deps, osPackages)
  wake(deps, osDeltas)
  return done
}

/** One that is being fetched or made is given up. */
export async function deletePackage(who: Actor, kid: string) {
  let objects: string[] = []
  const done = await changePackage(who, kid, async (trx, row, version) => {
    if (isOsOut(version.state) && isOffered(version, row)) refuse('os_state_wrong')
    const gone = await trx
      .deleteFrom('os_package')
      .where('os_version_kid', '=', version.kid)
      // Differences that were made lead to this very full package.
      .where((eb) => eb.or([eb('kid', '=', kid), ...(row.from_build === null ? [eb('is_made', '=', true)] : [])]))
      .returning(['object', 'file_name'])
      .execute()
    objects = gone.flatMap(({ object }) => object ?? [])
    for (const { file_name } of gone) await note(trx, who, version.kid, 'package_removed', file_name)
  })
  for (const object of objects) await who.deps.objects.delete(object)
  return done
}

/** An address of a package for a person, whoever published it; of one that is ready. */
export async function downloadPackage({ deps }: Actor, kid: string) {
  const row = await deps.db
    .selectFrom('os_package')
    .innerJoin('os_version', 'os_version.kid', 'os_package.os_version_kid')
    .selectAll('os_version')
    .select(['object', 'file_name'])
    .where('os_package.kid', '=', kid)
    .where('os_package.state', '=', 'ready')
    .executeTakeFirst()
  if (!row || row.object === null) return refuse('not_found')
  const { file_name: file } = row
  const url = deps.signFile(row.object, { name: file, content_type: contentTypeOf(file) })
  return { url, version_kid: row.kid, name: titleOf(row), file }
}

type Package = Selectable<Tables['os_package']>
async function changePackage(
  who: Actor,
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
