import type { AppSplit, PackageKind, PushPayload } from '@mdm/contract'
import { apps_of_task_max } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { visible } from './visible.ts'

/** An app of a push by value, so that a later change of the app changes no running push. */
export type PushedApp = {
  app_kid: string
  version_kid: string
  /** Whether the offered version was meant, whichever that was. */
  is_offered: boolean
  /** Only because another one needs it. */
  is_dependency: boolean
  package: string
  name: string
  version_name: string
  version_code: number
  kind: PackageKind
  file_name: string
  size: number
  md5: string
  sha256: string
  object: string
  min_sdk: number | null
  abis: string[]
  splits: AppSplit[]
}

type Wanted = PushPayload<'app_install'>['apps'][number]

/**
 * The apps of a push in the order in which a device installs them: what an app needs before the app, each once. Only what
 * is listed is pushed. @throws `not_found`, `app_not_listed`, `app_without_version`, `app_push_too_many`
 */
export async function appsToPush(actor: Actor, wanted: readonly Wanted[]): Promise<PushedApp[]> {
  const versions = new Map(wanted.map(({ app_kid, version_kid }) => [app_kid, version_kid]))
  const needs = await neededBy(actor, [...versions.keys()])
  const order: string[] = []
  const put = (kid: string, above: readonly string[]) => {
    if (order.includes(kid) || above.includes(kid)) return
    for (const needed of needs.get(kid) ?? []) put(needed, [...above, kid])
    order.push(kid)
  }
  for (const kid of versions.keys()) put(kid, [])
  if (order.length > apps_of_task_max) refuse('app_push_too_many', { max: apps_of_task_max })
  const rows = await rowsOf(actor, order)
  const pushed: PushedApp[] = []
  for (const kid of order) {
    const row = rows.get(kid)
    // Of what an app needs, also that it was inherited once and is not any more.
    if (!row || !row.is_seen) return refuse(row && !versions.has(kid) ? 'app_not_listed' : 'not_found', named(row))
    if (row.state !== 'listed') return refuse('app_not_listed', named(row))
    const version_kid = versions.get(kid) ?? row.offered_version_kid ?? refuse('app_without_version')
    const version = await versionOf(actor, kid, version_kid)
    const { package: package_name, name } = row
    const is_offered = versions.get(kid) === undefined
    pushed.push({
      app_kid: kid,
      is_offered,
      is_dependency: !versions.has(kid),
      package: package_name,
      name,
      ...version,
    })
  }
  return pushed
}
const named = (row: { name: string } | undefined) => ({ name: row?.name ?? '' })

/** What each of these apps needs, and what that needs, of whichever account it is. */
async function neededBy({ deps }: Actor, kids: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ app_kid: string; needed_kid: string }>`
    WITH RECURSIVE reached(kid) AS (
      SELECT unnest(${kids}::uuid[])
      UNION SELECT d.needed_kid FROM app_dependency d JOIN reached r ON r.kid = d.app_kid)
    SELECT d.app_kid, d.needed_kid FROM app_dependency d JOIN reached r ON r.kid = d.app_kid
    ORDER BY d.app_kid, d.needed_kid
  `.execute(deps.db)
  const needs = new Map<string, string[]>()
  for (const { app_kid, needed_kid } of rows) needs.set(app_kid, [...(needs.get(app_kid) ?? []), needed_kid])
  return needs
}

async function rowsOf(actor: Actor, kids: readonly string[]) {
  const rows = await actor.deps.db
    .selectFrom('app')
    .select(['app.kid', 'app.package', 'app.name', 'app.state', 'app.offered_version_kid'])
    .select((await visible(actor)).as('is_seen'))
    .where('app.kid', '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.kid, row]))
}

async function versionOf({ deps }: Actor, app_kid: string, kid: string) {
  const { kid: version_kid, ...version } =
    (await deps.db
      .selectFrom('app_version')
      .select([
        'kid',
        'version_name',
        'version_code',
        'kind',
        'file_name',
        'size',
        'md5',
        'sha256',
        'object',
        'min_sdk',
        'abis',
        'splits',
      ])
      .where('kid', '=', kid)
      .where('app_kid', '=', app_kid)
      .executeTakeFirst()) ?? refuse('not_found')
  return { version_kid, ...version }
}
