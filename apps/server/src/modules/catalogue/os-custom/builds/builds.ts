import { compareOsVersions, nextOsBuild, osCustomLimits, versionOfBase } from '@mdm/contract'
import type { OsBuildEvent } from '@mdm/contract'
import { sql } from 'kysely'
import { assertWhole } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import { contentTypeOf } from '../../../../files/names.ts'
import { newKid } from '../../../../lib/ids.ts'
import { refuse } from '../../../../refusal.ts'
import { removeBuilt } from '../../os-version/index.ts'
import { lockAccount } from '../../../../db/lock-account.ts'
import { lockOwn } from '../customs.ts'
import { inputsOf, itemsOf, readyBase } from '../items.ts'
import { assertIdle, changed, giveUpFailed, lockCustom, note } from '../locked-custom.ts'
import type { BuildRow, Db } from '../locked-custom.ts'
import { osBuilds } from './wake.ts'
import { wake } from '../../../../lib/background.ts'

const hour_ms = 3_600_000

/** "Customised sequence: two digits increasing from 01" (specification, 5): 9.00.123_CD01. */
export const customVersion = (version: string, number: number): string =>
  `${version}_CD${String(number).padStart(2, '0')}`

/** What one account may have built within an hour, and so what a stolen session can. Deleted builds count as well. */
async function assertHourly(trx: Db, { deps, account_kid }: Actor): Promise<void> {
  const now = deps.clock.now()
  const hour_ago = new Date(now.getTime() - hour_ms)
  await lockAccount(trx, account_kid)
  await trx.deleteFrom('os_build_start').where('account_kid', '=', account_kid).where('at', '<', hour_ago).execute()
  const { count } = await trx
    .selectFrom('os_build_start')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('account_kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  const max = osCustomLimits.builds_per_hour
  if (count >= max) refuse('os_builds_per_hour', { max })
  await trx.insertInto('os_build_start').values({ kid: newKid(), account_kid, at: now }).execute()
}

/** Begins the next build: everything that goes into it is fixed now, by value. */
export async function recustomise(
  actor: Actor,
  kid: string,
): Promise<{ build_kid: string; name: string; version: string }> {
  assertWhole(actor)
  const { deps, user, account_kid } = actor
  const build_kid = newKid()
  const seen = await actor.scope.selectFrom('os_custom').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!seen) return refuse('not_found')
  const items = await itemsOf(actor, seen)
  const done = await deps.db.transaction().execute(async (trx) => {
    await lockOwn(trx, account_kid, kid)
    const row = await lockCustom(trx, kid, 'build')
    await assertIdle(trx, kid)
    // Somebody saved other items in this very moment.
    if (row.updated_at.getTime() !== seen.updated_at.getTime()) return undefined
    const base = await readyBase(trx, row.base_kid)
    const { code } = await trx
      .selectFrom('os_uid')
      .select('code')
      .where('kid', '=', row.uid_kid)
      .executeTakeFirstOrThrow()
    const inputs = await inputsOf(trx, row.name, base, code, items)
    const version = versionOfBase(base.base_os_version)
    const number = row.build_count + 1
    const build = { os_version: customVersion(version, number), version_code: base.version_code, ver: number }
    await assertNewer(trx, kid, build)
    await assertHourly(trx, actor)
    await giveUpFailed(trx, kid)
    const created = {
      kid: build_kid,
      account_kid,
      os_custom_kid: kid,
      number,
      ...build,
      // The UID in its name is what devices' packages go by (specification, 5).
      file_name: `${base.model_code}_${code}_${build.os_version}.zip`,
      state: 'waiting' as const,
      step: 'downloading' as const,
      inputs: JSON.stringify(inputs),
      created_by_kid: user.kid,
      created_by: user.name,
      created_at: deps.clock.now(),
    }
    await trx.insertInto('os_build').values(created).execute()
    await trx.updateTable('os_custom').set({ build_count: number }).where('kid', '=', kid).execute()
    await note(trx, actor, created, { step: 'downloading', event: 'queued', details: { version: build.os_version } })
    return { name: row.name, version: build.os_version }
  })
  if (!done) return recustomise(actor, kid)
  changed(actor)
  wake(deps, osBuilds)
  return { build_kid, ...done }
}

type Version = Pick<BuildRow, 'os_version' | 'version_code' | 'ver'>
/** Devices refuse what is older than what they run: such a build would be of no use. */
async function assertNewer(trx: Db, os_custom_kid: string, build: Version): Promise<void> {
  const done = await trx
    .selectFrom('os_build')
    .select(['os_version', 'version_code', 'ver'])
    .where('os_custom_kid', '=', os_custom_kid)
    .where('state', '=', 'completed')
    .execute()
  const last = done.toSorted(compareOsVersions).at(-1)
  if (last && compareOsVersions(build, last) <= 0)
    refuse('os_custom_older', { version: build.os_version, last: last.os_version })
}

type Changed = { os_custom_kid: string; name: string }
/** One build of the account, locked, with its custom OS. */
async function changeBuild(
  actor: Actor,
  kid: string,
  run: (trx: Db, build: BuildRow) => Promise<void>,
): Promise<Changed> {
  assertWhole(actor)
  const { deps, account_kid } = actor
  const done = await deps.db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('os_build')
      .select('os_custom_kid')
      .where('kid', '=', kid)
      .where('account_kid', '=', account_kid)
      .executeTakeFirst()
    if (!found) return refuse('not_found')
    // The custom OS first, as everybody locks them.
    const { name } = await lockCustom(trx, found.os_custom_kid)
    const build = await trx.selectFrom('os_build').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
    if (!build) return refuse('not_found')
    await run(trx, build)
    return { os_custom_kid: found.os_custom_kid, name }
  })
  changed(actor)
  return done
}

const moveTo = async (trx: Db, build: BuildRow, event: OsBuildEvent, set: object): Promise<boolean> => {
  const to = nextOsBuild(build, event)
  if (!to) return false
  await trx
    .updateTable('os_build')
    .set({ ...set, state: to.state })
    .where('kid', '=', build.kid)
    .execute()
  return true
}

/** Whoever packs it notices within seconds. What was built of it so far is gone. */
export async function cancelBuild(actor: Actor, kid: string): Promise<Changed> {
  const { deps } = actor
  const done = await changeBuild(actor, kid, async (trx, build) => {
    const over = { held_bytes: 0, ended_at: deps.clock.now(), worked_by: null }
    if (!(await moveTo(trx, build, 'cancel', over))) refuse('os_build_over')
    await note(trx, actor, build, { step: build.step, event: 'canceled', details: { by: actor.user.name } })
  })
  await deps.objects.delete(kid)
  wake(deps, osBuilds)
  return done
}

/** With what it was begun with, from the step in which it failed. */
export async function retryBuild(actor: Actor, kid: string): Promise<Changed> {
  const done = await changeBuild(actor, kid, async (trx, build) => {
    await lockCustom(trx, build.os_custom_kid, 'build')
    if (!nextOsBuild(build, 'retry')) refuse('os_build_not_failed')
    await assertIdle(trx, build.os_custom_kid)
    await assertHourly(trx, actor)
    await moveTo(trx, build, 'retry', { fault: null, progress: 0, ended_at: null, next_at: null, worked_by: null })
    await note(trx, actor, build, { step: build.step, event: 'retried', details: { by: actor.user.name } })
  })
  wake(actor.deps, osBuilds)
  return done
}

/** With the version that it became, which no device may be given or be about to get. */
export async function deleteBuild(actor: Actor, kid: string): Promise<Changed> {
  const { deps } = actor
  let objects = [kid]
  const done = await changeBuild(actor, kid, async (trx, build) => {
    if (build.state === 'waiting' || build.state === 'running') refuse('os_custom_building')
    if (build.os_version_kid !== null) objects = [...objects, ...(await removeBuilt(trx, actor, build.os_version_kid))]
    await trx.deleteFrom('os_build').where('kid', '=', kid).execute()
  })
  for (const object of new Set(objects)) await deps.objects.delete(object)
  return done
}

/** An address of what was built, for a person. @throws `os_build_not_done` */
export async function downloadBuild(actor: Actor, kid: string) {
  const build = await actor.scope
    .selectFrom('os_build')
    .innerJoin('os_custom', 'os_custom.kid', 'os_build.os_custom_kid')
    .select(['os_build.os_custom_kid', 'os_build.os_version_kid', 'os_build.file_name as file', 'os_custom.name'])
    .where('os_build.kid', '=', kid)
    .executeTakeFirst()
  if (!build) return refuse('not_found')
  if (build.os_version_kid === null) return refuse('os_build_not_done')
  const { os_custom_kid, name, file } = build
  const url = actor.deps.signFile(kid, { name: file, content_type: contentTypeOf(file) })
  return { url, os_custom_kid, name, file }
}

/** The OS version that a build of the account became. @throws `os_build_not_done` */
export async function versionOf({ scope, ...actor }: Actor, kid: string): Promise<string> {
  assertWhole(actor)
  const build = await scope.selectFrom('os_build').select(['os_version_kid']).where('kid', '=', kid).executeTakeFirst()
  if (!build) return refuse('not_found')
  return build.os_version_kid ?? refuse('os_build_not_done')
}
