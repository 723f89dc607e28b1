import { osCustomLimits } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { assertWhole } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { claimUpload, wholeUpload } from '../../../files/own-upload.ts'
import { objectSource } from '../../../files/object-store.ts'
import { takeSpace } from '../../../files/upload-space.ts'
import { pictureInvalid } from '../../../lib/png.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { inWorker } from '../../../workers/service.ts'
import type { Requester } from '../../../workers/service.ts'
import { deriveUid, removeUnused, setBase } from '../os-uid/index.ts'
import { removeBuilt } from '../os-version/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { namedItems, readyBase } from './items.ts'
import { assertIdle, changed, giveUpFailed, lockCustom, unlessTaken } from './locked-custom.ts'
import type { CustomRow, Db } from './locked-custom.ts'

type Calls = Contract['osCustom']['calls']
/** Who changes one; `reader` is for whom the picture is read. */
export type Customiser = Actor & { reader: Requester }
type Picture = NonNullable<CustomRow['picture']>

/** A PNG that was uploaded, decoded once in the process for strangers' files. */
async function uploadedPicture({ deps, scope, user, reader }: Customiser, kid: string) {
  const upload = await wholeUpload(deps, scope, user.kid, kid)
  if (upload.claimed_at) return refuse('not_found')
  const { name, object, size, sha256 } = upload
  if (size > osCustomLimits.picture_bytes) return pictureInvalid()
  const source = objectSource(deps.objects, object, size)
  const measures = await inWorker(deps, 'picture', { side_max: osCustomLimits.picture_side }, source, reader)
  return { upload_kid: kid, picture: { name, object, size, sha256, ...measures } satisfies Picture }
}
type Uploaded = Awaited<ReturnType<typeof uploadedPicture>>

async function keepPicture(trx: Db, { deps, user }: Actor, { upload_kid, picture }: Uploaded) {
  await claimUpload(trx, { deps, user }, upload_kid)
  return { picture: JSON.stringify(picture), picture_bytes: picture.size }
}

/** A custom OS has a UID of its own, based on that of its model: its devices take its versions and no others. */
export async function insert(actor: Customiser, input: In<Calls['insert']>): Promise<string> {
  assertWhole(actor)
  const { deps, user, account_kid } = actor
  const { apps, files, configuration_kid, picture_upload_kid, name, base_kid, remark } = input
  const items = await namedItems(actor, { apps, files, configuration_kid })
  const uploaded = picture_upload_kid === undefined ? undefined : await uploadedPicture(actor, picture_upload_kid)
  const kid = newKid()
  const now = deps.clock.now()
  await unlessTaken(() =>
    deps.db.transaction().execute(async (all) => {
      await lockAccount(all, account_kid)
      const { count } = await all
        .selectFrom('os_custom')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('account_kid', '=', account_kid)
        .executeTakeFirstOrThrow()
      if (count >= osCustomLimits.customs) refuse('os_custom_limit', { max: osCustomLimits.customs })
      const base = await readyBase(all, base_kid)
      const uid_kid = await deriveUid(all, deps, { base_uid_kid: base.base_uid_kid, name, base })
      await takeSpace(all, actor, 'file_disk', async () =>
        all
          .insertInto('os_custom')
          .values({
            kid,
            account_kid,
            name,
            base_kid,
            uid_kid,
            state: 'enabled',
            apps: items.apps!,
            files: items.files!,
            configuration: items.configuration ?? null,
            ...(uploaded && (await keepPicture(all, actor, uploaded))),
            remark,
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: now,
            updated_at: now,
          })
          .execute(),
      )
    }),
  )
  changed(actor)
  return kid
}

/** What it is built of the next time; what was built stays as it is. */
export async function update(actor: Customiser, input: In<Calls['update']>): Promise<string> {
  assertWhole(actor)
  const { deps, account_kid } = actor
  const { kid, apps, files, configuration_kid, picture_upload_kid, is_picture_removed, ...said } = input
  const items = await namedItems(actor, {
    ...(apps && { apps }),
    ...(files && { files }),
    ...(configuration_kid !== undefined && { configuration_kid }),
  })
  const uploaded = picture_upload_kid === undefined ? undefined : await uploadedPicture(actor, picture_upload_kid)
  const { name, old_picture } = await unlessTaken(() =>
    deps.db.transaction().execute(async (trx) => {
      await lockOwn(trx, account_kid, kid)
      const old = await lockCustom(trx, kid, 'edit')
      await assertIdle(trx, kid)
      if (said.base_kid !== undefined && said.base_kid !== old.base_kid) {
        const [next, before] = [await readyBase(trx, said.base_kid), await modelOf(trx, old.base_kid)]
        if (next.model_kid !== before) refuse('os_custom_model_fixed')
        await setBase(trx, deps, old.uid_kid, next.base_os_version)
      }
      await giveUpFailed(trx, kid)
      return takeSpace(trx, actor, 'file_disk', async () => {
        const picture = uploaded
          ? await keepPicture(trx, actor, uploaded)
          : is_picture_removed
            ? { picture: null, picture_bytes: 0 }
            : undefined
        await trx
          .updateTable('os_custom')
          .set({ ...said, ...items, ...picture, updated_at: deps.clock.now() })
          .where('kid', '=', kid)
          .execute()
        return { name: said.name ?? old.name, old_picture: picture && old.picture }
      })
    }),
  )
  if (old_picture) await deps.objects.delete(old_picture.object)
  changed(actor)
  return name
}

/** Statements of these transactions are over all accounts, as UIDs and base versions are the provider's. */
export async function lockOwn(trx: Db, account_kid: string, kid: string): Promise<void> {
  const own = await trx
    .selectFrom('os_custom')
    .select('kid')
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .forUpdate()
    .executeTakeFirst()
  if (!own) refuse('not_found')
}

const modelOf = async (trx: Db, base_kid: string): Promise<string> =>
  (await trx.selectFrom('oscs_base').select('model_kid').where('kid', '=', base_kid).executeTakeFirstOrThrow())
    .model_kid

/** With all its builds and what became of them. Its UID stays while devices report it. */
export async function remove(actor: Actor, kid: string): Promise<string> {
  assertWhole(actor)
  const { deps, account_kid } = actor
  const { name, objects } = await deps.db.transaction().execute(async (trx) => {
    await lockOwn(trx, account_kid, kid)
    const row = await lockCustom(trx, kid)
    await assertIdle(trx, kid)
    const builds = await trx
      .selectFrom('os_build')
      .select(['kid', 'os_version_kid'])
      .where('os_custom_kid', '=', kid)
      .execute()
    const removed: string[] = []
    for (const { os_version_kid } of builds)
      if (os_version_kid !== null) removed.push(...(await removeBuilt(trx, actor, os_version_kid)))
    await trx.deleteFrom('os_build').where('os_custom_kid', '=', kid).execute()
    await trx.deleteFrom('os_custom').where('kid', '=', kid).execute()
    await removeUnused(trx, row.uid_kid)
    return {
      name: row.name,
      objects: [...removed, ...builds.map((build) => build.kid), ...(row.picture ? [row.picture.object] : [])],
    }
  })
  for (const object of new Set(objects)) await deps.objects.delete(object)
  changed(actor)
  return name
}

/** Given up: it is neither built nor changed; what is out stays out. */
export const abandon = (actor: Actor, kid: string): Promise<string> => moved(actor, kid, 'abandon', 'abandoned')
export const restore = (actor: Actor, kid: string): Promise<string> => moved(actor, kid, 'restore', 'enabled')

async function moved(
  actor: Actor,
  kid: string,
  event: 'abandon' | 'restore',
  state: 'abandoned' | 'enabled',
): Promise<string> {
  assertWhole(actor)
  const name = await actor.scope.transaction().execute(async (trx) => {
    const row = await lockCustom(trx, kid, event)
    await assertIdle(trx, kid)
    if (event === 'abandon') await giveUpFailed(trx, kid)
    await trx
      .updateTable('os_custom')
      .set({ state, updated_at: actor.deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    return row.name
  })
  changed(actor)
  return name
}
