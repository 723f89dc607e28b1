import { compareOsVersions } from '@mdm/contract'
import type { Contract, In, PushableOs } from '@mdm/contract'
import type { OsManifest } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { availableTo, manifestIn, standingOf } from '../../store/os-update/index.ts'
import type { Available } from '../../store/os-update/index.ts'

type Calls = Contract['osVersion']['calls']
type Build = {
  uid: string
  os_version: string
  version_code: number | null
  ver: number | null
  /** Of packages that they can apply. */
  os_formats: string[] | null
  devices: number
}
const builds_max = 2_000

/** Which builds run on the caller's devices, most devices first. */
async function buildsOf({ scope }: Pick<Actor, 'scope'>): Promise<Build[]> {
  return scope
    .selectFrom('terminal')
    .select(['uid', 'os_version', 'version_code', 'ver', 'os_formats', sql<number>`count(*)::int`.as('devices')])
    .groupBy(['uid', 'os_version', 'version_code', 'ver', 'os_formats'])
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('uid')
    .orderBy('os_version')
    .limit(builds_max)
    .execute()
}

const sizeOf = ({ packages }: OsManifest): number =>
  packages.find(({ from }) => from === null)?.size ?? Math.max(...packages.map(({ size }) => size))

export async function list(actor: Actor) {
  const versions = await availableTo(actor.deps, actor.account_kid)
  const builds = await buildsOf(actor)
  const items = versions.map((version): PushableOs => {
    const manifest = manifestIn(version)
    const takers = builds.filter((build) => standingOf(build, manifest) === null)
    return {
      kid: version.kid,
      uid_code: version.uid_code,
      uid_name: version.uid_name,
      type: version.uid_type,
      os_version: version.os_version,
      version_code: version.version_code,
      ver: version.ver,
      is_pre_released: version.state === 'pre_released',
      description: version.description,
      remaining_problems: version.remaining_problems,
      size: sizeOf(manifest),
      has_full: manifest.packages.some(({ from }) => from === null),
      released_at: version.released_at!.toISOString(),
      devices: takers.reduce((sum, { devices }) => sum + devices, 0),
    }
  })
  const why_none =
    items.length === 0 ? 'none_associated' : items.every(({ devices }) => devices === 0) ? 'none_for_devices' : null
  return { items, why_none: why_none as 'none_associated' | 'none_for_devices' | null }
}

/** The newest version for each build, of those for the whole account. */
function newestFor(build: Omit<Build, 'devices'>, versions: readonly { version: Available; manifest: OsManifest }[]) {
  const better = versions
    .filter(({ version, manifest }) => version.terminal_group_kids === null && standingOf(build, manifest) === null)
    .map(({ version }) => version)
    .toSorted((a, b) => compareOsVersions(b, a))
  return better[0]
}

async function standings(actor: Actor) {
  const versions = (await availableTo(actor.deps, actor.account_kid)).map((version) => ({
    version,
    manifest: manifestIn(version),
  }))
  return (await buildsOf(actor)).map((build) => ({ build, newest: newestFor(build, versions) }))
}

export async function fleet(actor: Actor, { days }: In<Calls['fleet']>) {
  const all = await standings(actor)
  const since = new Date(actor.deps.clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10)
  // Numbers of a day are of the whole account: somebody who is limited to groups sees those of today alone.
  const past = actor.visible_groups
    ? []
    : await actor.scope
        .selectFrom('os_version_day')
        .select([sql<string>`to_char(day, 'YYYY-MM-DD')`.as('day'), 'os_version', 'devices'])
        .where(sql<boolean>`day >= ${since}::date`)
        .orderBy('day')
        .orderBy('os_version')
        .limit(20_000)
        .execute()
  return {
    now: all.slice(0, 200).map(({ build: { os_formats: _, ...build }, newest }) => ({
      ...build,
      newest: newest
        ? { kid: newest.kid, os_version: newest.os_version, version_code: newest.version_code, ver: newest.ver }
        : null,
    })),
    behind: all.reduce((sum, { build, newest }) => sum + (newest ? build.devices : 0), 0),
    days: past,
  }
}

/** Devices for which there is a newer version. */
export async function pagingBehind(actor: Actor, input: In<Calls['paging_behind']>) {
  const behind = (await standings(actor)).filter(({ newest }) => newest !== undefined)
  const rows = behind.map(({ build: { devices: _, ...build }, newest }) => ({
    ...build,
    newest: newest!.os_version,
    newest_kid: newest!.kid,
  }))
  const known = sql<(typeof rows)[number]>`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`.as<'b'>(
    sql`b(uid text, os_version text, version_code bigint, ver bigint, os_formats text[], newest text, newest_kid uuid)`,
  )
  return readPage({
    query: actor.scope
      .selectFrom('terminal')
      .innerJoin(known, (join) =>
        join
          .onRef('b.uid', '=', 'terminal.uid')
          .onRef('b.os_version', '=', 'terminal.os_version')
          .on(sql<boolean>`b.version_code IS NOT DISTINCT FROM terminal.version_code`)
          .on(sql<boolean>`b.ver IS NOT DISTINCT FROM terminal.ver`)
          .on(sql<boolean>`b.os_formats IS NOT DISTINCT FROM terminal.os_formats`),
      )
      .select(['terminal.kid', 'terminal.sn', 'terminal.name', 'terminal.uid', 'terminal.os_version'])
      .select(['b.newest', 'b.newest_kid'])
      .$if(Boolean(input.text), (q) => q.where('terminal.search', 'like', containing(input.text!))),
    input,
    columns: { sn: { ref: sql`terminal.sn` }, os_version: { ref: sql`terminal.os_version` } },
    key: sql`terminal.kid`,
  })
}

/** Of all accounts, for the provider. */
export async function running({ deps }: Pick<Actor, 'deps'>, kid: string) {
  const version = await deps.db
    .selectFrom('os_version')
    .innerJoin('os_uid', 'os_uid.kid', 'os_version.uid_kid')
    .select(['os_version', 'version_code', 'ver', 'os_uid.code'])
    .where('os_version.kid', '=', kid)
    .executeTakeFirst()
  if (!version) return refuse('not_found')
  const { rows } = await sql<Omit<Build, 'os_formats'> & { account_kid: string; name: string }>`
    SELECT t.account_kid, a.name, t.uid, t.os_version, t.version_code, t.ver, count(*)::int AS devices
    FROM terminal t JOIN account a ON a.kid = t.account_kid
    WHERE lower(t.uid) = ${version.code.toLowerCase()} AND t.uid <> ''
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 7 DESC LIMIT 20000
  `.execute(deps.db)
  const manifest = { from_uids: [version.code], ...version }
  const accounts = new Map<string, { account_kid: string; name: string; devices: number; behind: number }>()
  for (const { account_kid, name, devices, ...build } of rows) {
    const of = accounts.get(account_kid) ?? { account_kid, name, devices: 0, behind: 0 }
    accounts.set(account_kid, of)
    const reason = standingOf(build, {
      ...manifest,
      format: 'mdm-os-1',
      uid: version.code,
      packages: anything,
    })
    if (reason === 'has_version') of.devices += devices
    if (reason === null) of.behind += devices
  }
  const all = [...accounts.values()].filter(({ devices, behind }) => devices + behind > 0)
  return {
    devices: all.reduce((sum, { devices }) => sum + devices, 0),
    behind: all.reduce((sum, { behind }) => sum + behind, 0),
    accounts: all.toSorted((a, b) => b.devices - a.devices || b.behind - a.behind).slice(0, 200),
  }
}
/** Whether there is a package does not matter here. */
const anything: OsManifest['packages'] = [{ from: null, name: '', size: 1, md5: '', sha256: '' }]

/** Counts of today, over those of an hour ago: at midnight they stand. For a timer. */
export async function noteDay({ db, clock }: Deps): Promise<void> {
  const day = clock.now().toISOString().slice(0, 10)
  await sql`
    INSERT INTO os_version_day (account_kid, day, os_version, devices)
    SELECT account_kid, ${day}::date, os_version, count(*) FROM terminal GROUP BY account_kid, os_version
    ON CONFLICT (account_kid, day, os_version) DO UPDATE SET devices = excluded.devices
  `.execute(db)
  // Versions that nobody runs any more today.
  await sql`
    DELETE FROM os_version_day d WHERE day = ${day}::date AND NOT EXISTS (
      SELECT 1 FROM terminal t WHERE t.account_kid = d.account_kid AND t.os_version = d.os_version)
  `.execute(db)
  await sql`DELETE FROM os_version_day WHERE day < ${day}::date - 366`.execute(db)
}
