import { subjectOf } from '@mdm/contract'
import type { AppSplit } from '@mdm/contract'
import { agent_package, limits } from '@mdm/device-link'
import type { AgentManifest, AppToInstall } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Deps } from '../../../../deps.ts'
import { records } from '../../../../db/records.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { assertSound } from '../../../../files/object-checks.ts'
import { refuse } from '../../../../refusal.ts'
import { appsToPush } from '../../../store/app-offer/index.ts'
import type { PushedApp } from '../../../store/app-offer/index.ts'
import { keyChanges, signer } from '../../../store/os-update/index.ts'
import { contentTypeOf } from '../../../../files/names.ts'
import { linkSeconds } from './kind.ts'
import type { Kind, Stored } from './kind.ts'

type App = PushedApp & { may_downgrade: boolean }
/** What else a task says to a device. */
const rest_bytes = 4_096

const toldSplit = ({ file, is_base, abi, density, language }: AppSplit) => ({
  file,
  ...(is_base && { is_base }),
  ...(abi !== null && { abi }),
  ...(density !== null && { density }),
  ...(language !== null && { language }),
})
const appsOf = (stored: Stored): App[] => stored['apps'] as App[]

/** By the key of OS versions. Nothing where the server does not hold it: devices then say that it is not signed. */
async function signedAgent(deps: Deps, apps: readonly App[]): Promise<AppToInstall['signed']> {
  const agent = apps.find((app) => app.package === agent_package)
  const key = agent && (await signer(deps, ''))
  if (!key || key.is_offline) return undefined
  const { package: name, version_name: version, sha256 } = agent
  const manifest = JSON.stringify({ format: 'mdm-agent-1', package: name, version, sha256 } satisfies AgentManifest)
  return {
    manifest,
    signature: key.sign(manifest, undefined),
    key: key.public_key,
    key_changes: await keyChanges(deps),
  }
}

/** One that is delisted, or whose version is gone. Locked against a delisting and a deletion, which look for pushes of theirs. */
async function notListed(trx: Kysely<Tables>, apps: readonly App[]): Promise<App | undefined> {
  const { rows } = await sql<{ version_kid: string }>`
    SELECT v.kid AS version_kid FROM app a JOIN app_version v ON v.app_kid = a.kid
    WHERE v.kid = ANY(${apps.map(({ version_kid }) => version_kid)}::uuid[]) AND a.state = 'listed'
    ORDER BY a.kid FOR SHARE
  `.execute(trx)
  return apps.find(({ version_kid }) => !rows.some((row) => row.version_kid === version_kid))
}

export const app_install: Kind<'app_install'> = {
  async store(actor, { apps, may_downgrade }) {
    // What others need is never taken back to a lower version: yet others may need the higher one.
    const pushed = (await appsToPush(actor, apps)).map((app) => ({
      ...app,
      may_downgrade: may_downgrade && !app.is_dependency,
    }))
    const said = await app_install.toDevice!(
      actor.deps,
      { apps: pushed },
      { expires_at: actor.deps.clock.now(), upload_url: undefined },
    )
    if (Buffer.byteLength(JSON.stringify(said)) > limits.packet_bytes - rest_bytes) refuse('app_push_too_long')
    const own = pushed.filter(({ is_dependency }) => !is_dependency)
    const summary = own.map(({ name, version_name }) => `${name} ${version_name}`).join(', ')
    return { payload: { apps: pushed, may_downgrade }, summary: summary.slice(0, 500) }
  },

  subject: (stored) =>
    subjectOf(
      appsOf(stored)
        .filter(({ is_dependency }) => !is_dependency)
        .map((app) => ({ name: app.name, version: app.version_name, package: app.package })),
    ),

  shown(stored) {
    const apps = appsOf(stored)
    const titles = ({ name, version_name }: App) => ({ name, version_name })
    return {
      apps: apps
        .filter(({ is_dependency }) => !is_dependency)
        .map((app) => ({
          app_kid: app.app_kid,
          ...(app.is_offered ? {} : { version_kid: app.version_kid }),
          ...titles(app),
        })),
      may_downgrade: stored['may_downgrade'] === true,
      needed: apps.filter(({ is_dependency }) => is_dependency).map(titles),
    }
  },

  reports_apps: true,

  // A device that says nothing of its apps has said no more than that it is done.
  contradicted: async (_trx, stored, reports) => {
    const packages = new Set(appsOf(stored).map((app) => app.package))
    const isLacking = (result: (typeof reports)[number]['result']) =>
      result?.apps?.some((app) => packages.has(app.package) && app.version === undefined)
    return reports.map(({ result }) => (isLacking(result) ? 'not_installed' : undefined))
  },

  rules: (stored) => ({
    apps: appsOf(stored).map((app) => ({
      package: app.package,
      version_name: app.version_name,
      version_code: app.version_code,
      kind: app.kind,
      min_sdk: app.min_sdk,
      abis: app.abis,
      is_dependency: app.is_dependency,
      may_downgrade: app.may_downgrade,
    })),
  }),

  async created(trx, { account_kid }, stored, push_task_kid) {
    const apps = appsOf(stored)
    if (await notListed(trx, apps)) refuse('not_found')
    await assertSound(trx, apps)
    await trx
      .insertInto('push_task_app')
      .values(apps.map(({ app_kid, version_kid }) => ({ push_task_kid, app_kid, account_kid, version_kid })))
      .execute()
  },

  async withdrawn(trx, _stored, push_task_kid) {
    await trx.deleteFrom('push_task_app').where('push_task_kid', '=', push_task_kid).execute()
  },

  // Whoever delisted an app and had its pushes canceled has not canceled what others would try again.
  async assertRetry(stored, { trx }) {
    const gone = await notListed(trx, appsOf(stored))
    if (gone) refuse('app_not_listed', { name: gone.name })
    await assertSound(trx, appsOf(stored))
  },

  async toDevice(deps, stored, { expires_at }) {
    const seconds = linkSeconds(deps, expires_at)
    const signed = await signedAgent(deps, appsOf(stored))
    return {
      apps: appsOf(stored).map(({ min_sdk, abis, splits, is_dependency, may_downgrade, ...app }) => ({
        package: app.package,
        title: app.name,
        version: app.version_name,
        version_code: app.version_code,
        kind: app.kind,
        file: {
          name: app.file_name,
          size: app.size,
          md5: app.md5,
          sha256: app.sha256,
          url: deps.signFile(app.object, {
            name: app.file_name,
            content_type: contentTypeOf(app.file_name),
            seconds,
          }),
        },
        ...(min_sdk !== null && { min_sdk }),
        ...(abis.length > 0 && { abis }),
        ...(splits.length > 0 && { splits: splits.map(toldSplit) }),
        ...(is_dependency && { is_dependency }),
        ...(may_downgrade && { may_downgrade }),
        ...(signed && app.package === agent_package && { signed }),
      })),
    }
  },

  /** Counted once per device and attempt that has the whole package, for each app of the push. */
  async downloaded(trx, devices) {
    await sql`
      UPDATE app SET download_count = download_count + r.n FROM (
        SELECT p.app_kid, sum(d.n)::integer AS n FROM push_task_app p
        JOIN ${records(devices).as('d(push_task_kid uuid, n integer)')}
          ON d.push_task_kid = p.push_task_kid
        GROUP BY p.app_kid ORDER BY p.app_kid) r
      WHERE app.kid = r.app_kid
    `.execute(trx)
  },
}
