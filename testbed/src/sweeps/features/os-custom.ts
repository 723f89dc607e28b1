import { contract, osCustomLimits } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { addBase, addCustom, addModel } from '@mdm/server/testing/os-customs.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import type { Caller } from '../../caller.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'
import { osPush, withoutKey } from './os-version.ts'

const calls = contract.osCustom.calls

declare module '../feature.ts' {
  interface Things {
    os_custom_kid: string
    os_build_kid: string
  }
}

/** Operating systems that customers have built. */
export const osCustom: Feature = {
  async make({ w, customer }) {
    const { deps } = w.server
    const { base_kid, uid_kid } = await ready(deps)
    const { account_kid } = w.seed.customers[customer]!
    const made = await addCustom(deps, account_kid, { base_kid, uid_kid, name: 'Sweep' }, 'failed')
    return { os_custom_kid: made.kid, os_build_kid: made.build_kid }
  },
  inputs: (t) => {
    const of = { kid: t.os_custom_kid }
    const build = { kid: t.os_build_kid }
    return {
      'os_custom/paging': {},
      'os_custom/get': of,
      'os_custom/list_base': {},
      'os_custom/list_app': {},
      'os_custom/list_file': {},
      'os_custom/list_configuration': {},
      'os_custom/insert': { name: 'Sweep new', base_kid: t.log_kid },
      'os_custom/update': { ...of, remark: 'Sweep' },
      'os_custom/delete': of,
      'os_custom/recustomise': of,
      'os_custom/abandon': of,
      'os_custom/restore': of,
      'os_custom/list_build': of,
      'os_custom/get_build': build,
      'os_custom/cancel_build': build,
      'os_custom/retry_build': build,
      'os_custom/download_build': build,
      'os_custom/delete_build': build,
      'os_custom/release_build': build,
      'os_custom/pushing': build,
      'os_custom/take_offline': { ...build, cancels_tasks: false },
    }
  },
  refusals,
  tables: ['os_custom', 'os_build', 'os_build_line'],
  not_found: ['oscs_base_not_ready', 'os_custom_item_gone'],
}

let made = 0
/** A model and a base version of it, whose packages were found sound, and a UID for one custom OS. */
async function ready(deps: Stage['deps']) {
  const code = `CUSTOM${String((made += 1)).padStart(4, '0')}`
  const base_uid_kid = await addUid(deps, `${code}01`)
  const model_kid = await addModel(deps, base_uid_kid, code)
  const base_kid = await addBase(deps, model_kid, `${code}_9.00.1`)
  return { base_kid, base_uid_kid, uid_kid: await spareUid(deps, base_uid_kid) }
}
const spareUid = (deps: Stage['deps'], base_uid_kid: string): Promise<string> =>
  addUid(deps, newKid(), { type: 'custom', base_uid_kid })

async function refusals(s: Stage): Promise<Refusals> {
  const { root, deps } = s
  const { db } = deps
  const customs = root.osCustom
  const { base_kid, base_uid_kid } = await ready(deps)
  const custom = async (more: object = {}) =>
    (await customs.insert({ name: s.unique('Custom'), base_kid, ...more })).kid
  const draft = (more: object = {}) => ({ name: s.unique('Custom'), base_kid, ...more })
  const of = async (kid: Promise<string>) => ({ kid: await kid })
  type Build = Parameters<typeof addCustom>[3]
  /** With a build in some state, which nobody works on. */
  const withBuild = async (state: Build, more: object = {}) => {
    const uid_kid = await spareUid(deps, base_uid_kid)
    const built = await addCustom(deps, s.customer_kid, { base_kid, uid_kid, name: s.unique('Built') }, state)
    if (Object.keys(more).length > 0)
      await db.updateTable('os_build').set(more).where('kid', '=', built.build_kid).execute()
    return built
  }
  const build = async (...of_: Parameters<typeof withBuild>) => ({ kid: (await withBuild(...of_)).build_kid })
  const abandoned = async () => {
    const kid = await custom()
    await customs.abandon({ kid })
    return kid
  }
  /** What a build became: a version that is out, or one that a push still needs. */
  const became = async (os_version_kid: string) => {
    await db
      .updateTable('os_version')
      .set({ built_for_kid: s.customer_kid })
      .where('kid', '=', os_version_kid)
      .execute()
    return withBuild('completed', { os_version_kid })
  }
  const out = async () => became((await osPush(s)).kid)
  const pushed = async () => {
    const { kid } = await osPush(s)
    await s.operator.opsOsVersion.take_offline({ kid, cancels_tasks: false })
    return became(kid)
  }
  const changed = async (more: object) => {
    const kid = await custom()
    await db.updateTable('os_custom').set(more).where('kid', '=', kid).execute()
    return { kid }
  }
  const app = async (state: 'listed' | 'delisted') => {
    const kid = newKid()
    const now = deps.clock.now()
    const author = { created_by_kid: newKid(), created_by: 'x', created_at: now, updated_at: now }
    const row = { kid, account_kid: s.customer_kid, package: `com.example.a${kid.slice(-8)}`, name: s.unique('App') }
    await db
      .insertInto('app')
      .values({ ...row, developer: '', intro: '', state, is_system_signed: false, ...author })
      .execute()
    return kid
  }
  const apps = (...kids: string[]) => ({
    apps: JSON.stringify(kids.map((app_kid) => ({ app_kid, version_kid: null, name: 'App' }))),
  })
  const file = async () => {
    const upload_kid = await uploadFile(root, 'twice.txt', Buffer.from('x'))
    return (await root.fileCloud.insert({ upload_kid, name: `${s.unique('Twice')}.txt` })).kid
  }
  const hourFull = async () =>
    void (await db
      .insertInto('os_build_start')
      .values(
        Array.from({ length: osCustomLimits.builds_per_hour }, () => ({
          kid: newKid(),
          account_kid: s.customer_kid,
          at: deps.clock.now(),
        })),
      )
      .execute())
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  )
  /** Another customer, whose space is full by the time that the picture is kept. */
  const withoutRoom = async (make: (caller: Caller) => Promise<object>) => {
    const other = s.w.customers[1]!
    const { account_kid } = s.w.seed.customers[1]!
    const room = (max_bytes: number | 'used') =>
      db
        .updateTable('disk_space')
        .set((eb) => ({ max_bytes: max_bytes === 'used' ? eb.ref('used_bytes') : max_bytes }))
        .where('account_kid', '=', account_kid)
        .where('area', '=', 'file_disk')
        .execute()
    await room(10 * 1024 ** 3)
    const input = await make(other)
    await room('used')
    return by(other, input)
  }
  const items = {
    duplicate_name: async () => ({ name: (await customs.get({ kid: await custom() })).name }),
    oscs_base_not_ready: async () => ({ base_kid: unknownKid }),
    os_custom_item_gone: async () => ({ configuration_kid: unknownKid }),
    os_custom_twice: async () => {
      const file_kid = await file()
      return { files: ['/a', '/a/'].map((path) => ({ file_kid, path })) }
    },
    os_picture_invalid: async () => ({ picture_upload_kid: await uploadFile(root, 'a.png', Buffer.from('x')) }),
    upload_not_finished: async () => ({ picture_upload_kid: await createUpload(root, 'a.png', 1000) }),
    file_transfer_failed: async () => ({ picture_upload_kid: await lostUpload(s, 'a.png') }),
  }
  const each = (whole: (more: object) => unknown) =>
    Object.fromEntries(Object.entries(items).map(([name, make]) => [name, async () => whole(await make())]))
  return {
    ...refusalsOf(calls.insert, root, {
      ...each(draft),
      storage_exceeded: () =>
        withoutRoom(async (other) => draft({ picture_upload_kid: await uploadFile(other, 'a.png', png) })),
      os_custom_limit: async () => {
        const { account_kid } = s.w.seed.customers[1]!
        const now = deps.clock.now()
        const author = { created_by_kid: newKid(), created_by: 'x', created_at: now, updated_at: now }
        const { kid: _, ...uid } = await db
          .selectFrom('os_uid')
          .selectAll()
          .where('kid', '=', base_uid_kid)
          .executeTakeFirstOrThrow()
        const uids = Array.from({ length: osCustomLimits.customs }, () => {
          const kid = newKid()
          return { ...uid, kid, code: kid, display_name: kid }
        })
        await db.insertInto('os_uid').values(uids).execute()
        const row = { account_kid, base_kid, state: 'enabled' as const, apps: '[]', files: '[]', remark: '', ...author }
        await db
          .insertInto('os_custom')
          .values(uids.map(({ kid }) => ({ ...row, kid: newKid(), name: kid, uid_kid: kid })))
          .execute()
        return by(s.w.customers[1]!, draft())
      },
      os_custom_no_code: async () => {
        const used = await ready(deps)
        const { kid: _, ...uid } = await db
          .selectFrom('os_uid')
          .selectAll()
          .where('kid', '=', used.base_uid_kid)
          .executeTakeFirstOrThrow()
        const codes = Array.from({ length: 36 * 36 }, (_one, n) => n.toString(36).toUpperCase().padStart(2, '0'))
        await db
          .insertInto('os_uid')
          .values(
            codes
              .filter((code) => code !== uid.code.slice(-2))
              .map((code) => ({ ...uid, kid: newKid(), code: uid.code.slice(0, -2) + code, display_name: newKid() })),
          )
          .execute()
        return draft({ base_kid: used.base_kid })
      },
    }),
    ...refusalsOf(calls.update, root, {
      ...each(async (more) => ({ ...more, kid: await custom() })),
      storage_exceeded: () =>
        withoutRoom(async (other) => {
          // Room in the list as well.
          await db.deleteFrom('os_custom').where('account_kid', '=', s.w.seed.customers[1]!.account_kid).execute()
          const { kid } = await other.osCustom.insert(draft())
          return { kid, picture_upload_kid: await uploadFile(other, 'a.png', png) }
        }),
      os_custom_abandoned: async () => ({ kid: await abandoned(), remark: 'x' }),
      os_custom_building: async () => ({ kid: (await withBuild('waiting')).kid, remark: 'x' }),
      os_custom_model_fixed: async () => ({ kid: await custom(), base_kid: (await ready(deps)).base_kid }),
    }),
    ...refusalsOf(calls.delete, root, {
      os_custom_building: async () => ({ kid: (await withBuild('waiting')).kid }),
      os_custom_released: async () => ({ kid: (await out()).kid }),
      os_being_pushed: async () => ({ kid: (await pushed()).kid }),
    }),
    ...refusalsOf(calls.recustomise, root, {
      oscs_base_not_ready: async () => {
        const other = await ready(deps)
        const kid = await custom({ base_kid: other.base_kid })
        await db.updateTable('oscs_file').set({ state: 'checking' }).where('base_kid', '=', other.base_kid).execute()
        await db
          .updateTable('oscs_file')
          .set({ next_at: new Date(8e15) })
          .where('base_kid', '=', other.base_kid)
          .execute()
        return { kid }
      },
      os_custom_item_gone: () => changed(apps(unknownKid)),
      app_not_listed: async () => changed(apps(await app('delisted'))),
      app_without_version: async () => changed(apps(await app('listed'))),
      app_push_too_many: () => changed(apps(...Array.from({ length: 41 }, newKid))),
      os_custom_twice: async () => {
        const one = { file_kid: await file(), path: '/a', name: 'a' }
        return changed({ files: JSON.stringify([one, one]) })
      },
      os_custom_too_large: async () => {
        const other = await ready(deps)
        const kid = await custom({ base_kid: other.base_kid })
        await db.updateTable('oscs_file').set({ size: 4e9 }).where('base_kid', '=', other.base_kid).execute()
        return { kid }
      },
      os_custom_older: async () => ({ kid: (await withBuild('completed', { os_version: '99.0.1_CD01' })).kid }),
      os_custom_abandoned: () => of(abandoned()),
      os_custom_building: async () => ({ kid: (await withBuild('waiting')).kid }),
      os_builds_per_hour: async () => {
        await hourFull()
        return { kid: await custom() }
      },
    }),
    ...refusalsOf(calls.abandon, root, {
      os_custom_abandoned: () => of(abandoned()),
      os_custom_building: async () => ({ kid: (await withBuild('waiting')).kid }),
    }),
    ...refusalsOf(calls.restore, root, { os_custom_not_abandoned: () => of(custom()) }),
    ...refusalsOf(calls.cancel_build, root, { os_build_over: () => build('completed') }),
    ...refusalsOf(calls.retry_build, root, {
      os_build_not_failed: () => build('completed'),
      os_custom_building: async () => {
        const { kid, build_kid } = await withBuild('failed')
        const row = await db.selectFrom('os_build').selectAll().where('kid', '=', build_kid).executeTakeFirstOrThrow()
        const open = { kid: newKid(), number: 2, state: 'waiting' as const, next_at: new Date(8e15) }
        await db
          .insertInto('os_build')
          .values({ ...row, inputs: JSON.stringify(row.inputs), ...open, os_custom_kid: kid })
          .execute()
        return { kid: build_kid }
      },
      os_custom_abandoned: async () => {
        const { kid, build_kid } = await withBuild('failed')
        await db.updateTable('os_custom').set({ state: 'abandoned' }).where('kid', '=', kid).execute()
        return { kid: build_kid }
      },
      os_builds_per_hour: async () => {
        await hourFull()
        return build('failed')
      },
    }),
    ...refusalsOf(calls.delete_build, root, {
      os_custom_building: () => build('waiting'),
      os_custom_released: async () => ({ kid: (await out()).build_kid }),
      os_being_pushed: async () => ({ kid: (await pushed()).build_kid }),
    }),
    ...refusalsOf(calls.download_build, root, { os_build_not_done: () => build('failed') }),
    ...refusalsOf(calls.release_build, root, {
      os_build_not_done: () => build('failed'),
      os_state_wrong: async () => ({ kid: (await out()).build_kid }),
    }),
    [`${calls.release_build.path} os_build_unsigned`]: async () => {
      const input = { kid: (await pushed()).build_kid }
      return withoutKey(s, () => root.try_(calls.release_build, input))
    },
    ...refusalsOf(calls.pushing, root, { os_build_not_done: () => build('failed') }),
    ...refusalsOf(calls.take_offline, root, {
      os_build_not_done: async () => ({ ...(await build('failed')), cancels_tasks: false }),
      os_state_wrong: async () => ({ kid: (await pushed()).build_kid, cancels_tasks: false }),
    }),
  }
}
