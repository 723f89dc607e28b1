import { contentTypeOf } from '../../../../files/names.ts'
import { newKid } from '../../../../lib/ids.ts'
import { refuse } from '../../../../refusal.ts'
import { osPackagesOf, osStanding } from '@mdm/device-link'
import type { OsManifest } from '@mdm/device-link'
import { available, keyChanges, manifestIn } from '../../../store/os-update/index.ts'
import { linkSeconds } from './kind.ts'
import type { Kind } from './kind.ts'

/** So long a device may take from its restart until it reports, or it goes back to the version before. */
const confirm_seconds = 600

type Package = { name: string; object: string }
/** Told to devices: what was signed, and where its packages are. The signature is the newest, the keys may have changed. */
export const os: Kind<'os'> = {
  async store({ deps, account_kid }, { os_version_kid }) {
    const version = await available(deps, account_kid, os_version_kid)
    const rows = await deps.db
      .selectFrom('os_package')
      .select(['sha256', 'file_name as name', 'object'])
      .where('os_version_kid', '=', os_version_kid)
      .where('state', '=', 'ready')
      .execute()
    const packages = osPackagesOf(manifestIn(version)).map(
      ({ sha256 }): Package => rows.find((row) => row.sha256 === sha256 && row.object !== null) as Package,
    )
    if (packages.includes(undefined as never)) refuse('os_not_available')
    const summary = `${version.os_version} (VER ${version.ver})`
    return {
      payload: { os_version_kid, summary, packages: packages.map(({ name, object }) => ({ name, object })) },
      summary,
    }
  },

  shown: ({ os_version_kid }) => ({ os_version_kid }),

  rules: ({ os_version_kid }) => ({ os: { os_version_kid: String(os_version_kid) } }),

  async created(trx, { account_kid }, stored) {
    await assertStill(trx, account_kid, String(stored['os_version_kid']))
  },

  async assertRetry(stored, { trx, account_kid }) {
    await assertStill(trx, account_kid, String(stored['os_version_kid']))
  },

  // The new version says hello before its device says that it is done.
  async contradicted(trx, { os_version_kid }, reports) {
    const pushed = await trx
      .selectFrom('os_version')
      .select(['os_version', 'version_code', 'ver'])
      .where('kid', '=', String(os_version_kid))
      .executeTakeFirst()
    const builds = await trx
      .selectFrom('terminal')
      .select(['kid', 'os_version', 'version_code', 'ver'])
      .where(
        'kid',
        'in',
        reports.map(({ terminal_kid }) => terminal_kid),
      )
      .execute()
    return reports.map(({ terminal_kid }) => {
      const { os_version, ...build } = builds.find(({ kid }) => kid === terminal_kid) ?? { os_version: null }
      if (!pushed || os_version === null) return undefined
      return osStanding({ os_version, ...build }, pushed) === 'newer' ? 'version_not_running' : undefined
    })
  },

  async toDevice(deps, { os_version_kid, packages }, { expires_at }) {
    const seconds = linkSeconds(deps, expires_at)
    const version = await deps.db
      .selectFrom('os_version')
      .innerJoin('os_key', 'os_key.kid', 'os_version.key_kid')
      .select(['manifest', 'os_version.signature', 'public_key'])
      .where('os_version.kid', '=', String(os_version_kid))
      .executeTakeFirstOrThrow()
    const manifest = JSON.parse(version.manifest!) as OsManifest
    const there = await deps.db
      .selectFrom('os_package')
      .select(['sha256', 'object'])
      .where('os_version_kid', '=', String(os_version_kid))
      .where('object', 'is not', null)
      .execute()
    const stored = packages as Package[]
    return {
      manifest: version.manifest,
      signature: version.signature,
      key: version.public_key,
      key_changes: await keyChanges(deps),
      // Differences may have joined the version since the push was made. A package that is gone keeps its place, and leads nowhere.
      urls: osPackagesOf(manifest).map(({ name, sha256 }, index) => {
        const object = there.find((row) => row.sha256 === sha256)?.object ?? stored[index]?.object ?? newKid()
        return deps.signFile(object, { name, content_type: contentTypeOf(name), seconds })
      }),
      confirm_seconds,
    }
  },
}

/** It stays available until the transaction ends. */
async function assertStill(trx: Parameters<NonNullable<Kind<'os'>['created']>>[0], account_kid: string, kid: string) {
  await trx.selectFrom('os_version').select('kid').where('kid', '=', kid).forShare().execute()
  await available({ db: trx }, account_kid, kid)
}
