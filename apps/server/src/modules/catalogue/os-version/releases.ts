import { isOsOut, osReleaseEvent } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import type { OsManifest } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { actorOf } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { containing } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { signer, signing } from '../../store/os-update/index.ts'
import { cancel } from '../../push/push-task/index.ts'
import { lockOwn, note, tell, titleOf, touch } from './locked-version.ts'
import type { Db, Publisher, VersionRow } from './locked-version.ts'
import { setAudience } from './audience.ts'
import { openPushes } from './versions.ts'

type Calls = Contract['opsOsVersion']['calls']
/**
 * Who may have it. Of a version that is out it may only become fewer, and does at once: more of them is a release, which
 * has a permission of its own.
 */
export async function saveAudience(who: Actor, { kid, ...audience }: In<Calls['save_audience']>): Promise<string> {
  const { deps } = who
  const title = await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwn(trx, who, kid)
    const { grows } = await setAudience(trx, who, row, audience)
    if (isOsOut(row.state) && (grows || audience.mode !== row.state)) refuse('os_release_needed')
    await touch(trx, deps, kid)
    return titleOf(row)
  })
  tell(who, kid)
  wake(deps, osCancelling)
  return title
}

/** Signs what the packages are now, and lets them out as it was chosen. */
type Signing = In<Calls['offer_packages']>

/** With `audience` it is for those from now on; so one that is out is launched, or let out to more of them, as it was signed. */
export async function release(
  who: Publisher,
  { kid, signature, audience }: In<Calls['release']>,
): Promise<{ title: string; mode: 'launched' | 'pre_released' }> {
  const { deps, user } = who
  const done = await signing(deps, user.name, async (trx, key) => {
    const row = await lockOwn(trx, who, kid)
    if (audience) await setAudience(trx, who, row, audience)
    const mode = audience?.mode ?? row.mode
    if (mode === null) return refuse('os_audience_missing')
    const now = deps.clock.now()
    const is_more = audience !== undefined && row.state === mode
    if (!is_more) await lockOwn(trx, who, kid, osReleaseEvent[mode])
    if (isOsOut(row.state)) {
      const released_at = is_more ? row.released_at : now
      await trx
        .updateTable('os_version')
        .set({ state: mode, released_at, updated_at: now })
        .where('kid', '=', kid)
        .execute()
      await note(trx, who, kid, mode)
      return { title: titleOf(row), mode }
    }
    const manifest = await manifestOf(trx, row)
    await trx
      .updateTable('os_version')
      .set({
        state: mode,
        manifest,
        signature: key.sign(manifest, signature),
        key_kid: key.kid,
        released_at: now,
        updated_at: now,
        is_cancelling: false,
        cancel_account_kids: null,
      })
      .where('kid', '=', kid)
      .execute()
    await note(trx, who, kid, mode)
    return { title: titleOf(row), mode }
  })
  tell(who, kid)
  if (audience) wake(deps, osCancelling)
  return done
}

/** What the release would sign now; of a version that is out, with what was added to it. */
export async function toSign({ deps, user }: Actor, kid: string) {
  const row = await deps.db.selectFrom('os_version').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!row) return refuse('not_found')
  const { public_key, is_offline } = await signer(deps, user.name)
  return { manifest: await manifestOf(deps.db, row), public_key, is_offline }
}

/** Differences that were added since are offered from now on. Who holds the manifest of before goes on with that. */
export async function offerPackages(who: Actor, { kid, signature }: Signing): Promise<string> {
  const { deps, user } = who
  const title = await signing(deps, user.name, async (trx, key) => {
    const row = await lockOwn(trx, who, kid)
    if (!isOsOut(row.state)) refuse('os_state_wrong')
    const manifest = await manifestOf(trx, row)
    if (manifest === row.manifest) refuse('os_nothing_added')
    await trx
      .updateTable('os_version')
      .set({ manifest, signature: key.sign(manifest, signature), key_kid: key.kid, updated_at: deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    await note(trx, who, kid, 'packages_offered')
    return titleOf(row)
  })
  tell(who, kid)
  return title
}

/** What is signed: all packages, or those that are ready by now of a version that is out. @throws `os_without_package`, `os_package_not_ready` */
async function manifestOf(trx: Db, row: VersionRow): Promise<string> {
  const is_out = isOsOut(row.state)
  const all = await trx
    .selectFrom('os_package')
    .selectAll()
    .where('os_version_kid', '=', row.kid)
    .orderBy(sql`from_build IS NOT NULL`)
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  const packages = is_out ? all.filter(({ state }) => state === 'ready') : all
  // A device that does not know the server's own form passes it over.
  if (packages.every(({ is_made }) => is_made)) refuse('os_without_package')
  if (packages.some(({ state }) => state !== 'ready')) refuse('os_package_not_ready')
  const uid = await trx
    .selectFrom('os_uid')
    .leftJoin('os_uid as base', 'base.kid', 'os_uid.base_uid_kid')
    .select(['os_uid.code', 'base.code as base_code'])
    .where('os_uid.kid', '=', row.uid_kid)
    .executeTakeFirstOrThrow()
  const made = packages.filter(({ is_made }) => is_made)
  const manifest: OsManifest = {
    format: 'mdm-os-1',
    uid: uid.code,
    from_uids: [uid.code, ...(uid.base_code === null ? [] : [uid.base_code])],
    os_version: row.os_version,
    version_code: row.version_code,
    ver: row.ver,
    packages: packages.filter(({ is_made }) => !is_made).map((one) => ({ from: one.from_build, ...signed(one) })),
    ...(made.length > 0 && { deltas: made.map((one) => ({ from: one.from_build!, ...signed(one) })) }),
  }
  return JSON.stringify(manifest)
}

type Signed = Pick<
  Selectable<Tables['os_package']>,
  'format' | 'said_version' | 'hardware' | 'file_name' | 'size' | 'md5' | 'sha256'
>
const signed = ({ format, said_version, hardware, file_name, size, md5, sha256 }: Signed) => ({
  name: file_name,
  size: size!,
  md5: md5!,
  sha256: sha256!,
  ...(format !== 'zip' && { format, ...(said_version !== null && { said_version }), hardware }),
})

/** A step back: what was done in it is gone. */
export async function discardStep(who: Actor, { kid, step }: In<Calls['discard_step']>): Promise<string> {
  const { deps } = who
  const { title, objects } = await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwn(trx, who, kid, 'delete')
    const packages =
      step === 'upload'
        ? await trx.deleteFrom('os_package').where('os_version_kid', '=', kid).returning('object').execute()
        : []
    if (step === 'release') {
      await trx.deleteFrom('os_version_account').where('os_version_kid', '=', kid).execute()
      await trx.updateTable('os_version').set({ mode: null, is_for_all: false }).where('kid', '=', kid).execute()
    }
    await note(trx, who, kid, 'step_discarded', step)
    await touch(trx, deps, kid)
    return { title: titleOf(row), objects: packages.flatMap(({ object }) => object ?? []) }
  })
  for (const object of objects) await deps.objects.delete(object)
  tell(who, kid)
  return title
}

export const pushing = async ({ deps }: Actor, kid: string) => {
  const row = await deps.db.selectFrom('os_version').select('kid').where('kid', '=', kid).executeTakeFirst()
  return row ? openPushes(deps.db, kid) : refuse('not_found')
}

/** Nobody can push it any more. Pushes of it go on, or are canceled in the background. */
export async function takeOffline(who: Publisher, { kid, cancels_tasks }: In<Calls['take_offline']>): Promise<string> {
  const { deps } = who
  const title = await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwn(trx, who, kid, 'take_offline')
    await trx
      .updateTable('os_version')
      .set({
        state: 'offline',
        is_cancelling: cancels_tasks || row.is_cancelling,
        ...(cancels_tasks && { cancel_account_kids: null }),
        updated_at: deps.clock.now(),
      })
      .where('kid', '=', kid)
      .execute()
    await note(trx, who, kid, 'taken_offline')
    if (cancels_tasks) await note(trx, who, kid, 'pushes_canceling')
    return titleOf(row)
  })
  tell(who, kid)
  if (cancels_tasks) wake(deps, osCancelling)
  return title
}

/** Cancels, account by account, pushes of a version that went offline, or of accounts that may not have it any more. Begins anew after a kill: it may be done twice. */
export const osCancelling: SharedWork = { name: 'os_cancelling', every_ms: 5_000, at_once: 1, run: cancelOnce }

type OpenPush = { kid: string; account_kid: string }
async function openPushAfter(
  { db }: Deps,
  { kid, cancel_account_kids: of }: VersionRow,
  after: string | null,
): Promise<OpenPush | undefined> {
  const { rows } = await sql<OpenPush>`
    SELECT kid, account_kid FROM push_task WHERE type = 'os' AND payload ->> 'os_version_kid' = ${kid}
      AND (${of}::uuid[] IS NULL OR account_kid = ANY(${of}::uuid[]))
      AND ended_at IS NULL AND phase NOT IN ('canceled', 'rejected') AND (${after}::uuid IS NULL OR kid > ${after}::uuid)
    ORDER BY kid LIMIT 1
  `.execute(db)
  return rows[0]
}

async function cancelOnce(deps: Deps): Promise<boolean> {
  const version = await deps.db
    .selectFrom('os_version')
    .selectAll()
    .where('is_cancelling', '=', true)
    .orderBy('kid')
    .limit(1)
    .executeTakeFirst()
  if (!version) return false
  const by = { deps, user: { kid: version.created_by_kid, name: version.created_by } }
  let canceled = 0
  for (let after: string | null = null; ;) {
    const task = await openPushAfter(deps, version, after)
    if (!task) break
    after = task.kid
    const actor = actorOf(deps, {
      account_kid: task.account_kid,
      group_kids: undefined,
      user_kid: version.created_by_kid,
      // The provider's people are not named to customers.
      name: task.account_kid === version.built_for_kid ? version.created_by : '',
      token_kid: null,
    })
    await cancel(actor, { push_task_kid: task.kid }).then(
      () => (canceled += 1),
      (error: unknown) => {
        // Its devices have ended meanwhile.
        if (!(error instanceof Refusal)) throw error
      },
    )
  }
  await deps.db.transaction().execute(async (trx) => {
    // Others may have lost it meanwhile: then it is gone through once more.
    await trx
      .updateTable('os_version')
      .set({ is_cancelling: false, cancel_account_kids: null })
      .where('kid', '=', version.kid)
      .where(sql<boolean>`cancel_account_kids IS NOT DISTINCT FROM ${version.cancel_account_kids}::uuid[]`)
      .execute()
    await note(trx, by, version.kid, 'pushes_canceled', String(canceled))
  })
  tell({ deps }, version.kid)
  return true
}

export const listAccounts = async ({ deps }: Actor, text: string | undefined, max: number) =>
  deps.db
    .selectFrom('account')
    .select(['kid', 'name'])
    .where('type', 'in', [1, 2])
    .$if(Boolean(text), (q) => q.where(sql`lower(account.name)`, 'like', containing(text!)))
    .orderBy(sql`lower(account.name)`)
    .orderBy('kid')
    .limit(max)
    .execute()

export const listGroups = async ({ deps }: Actor, account_kid: string) =>
  deps.db
    .selectFrom('terminal_group')
    .select(['kid', 'parent_kid', 'name'])
    .where('account_kid', '=', account_kid)
    .orderBy('name')
    .limit(2_000)
    .execute()
