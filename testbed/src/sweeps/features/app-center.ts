import { appLimits, contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { otherSigner, zip } from '../../apks.ts'
import type { Caller } from '../../caller.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { apk, copiedApp, copied_code, packageName, uploadApk } from '../shared/apps.ts'
import type { AppGroup } from '../shared/apps.ts'
import { crowdedZip, lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    app_kid: string
    app_version_kid: string
    app_category_kid: string
    /** A package that is not taken by anything. */
    app_upload_kid: string
  }
}

const own = contract.appCenter.calls
const platform = contract.opsPlatformApk.calls

/** Apps of customers, and those of the provider. */
export const appCenter: Feature = {
  async make({ call, device, customer }) {
    const upload_kid = await uploadApk(call, apk(1))
    const app = await call.appCenter.insert({ upload_kid, name: `Sweep ${device.sn}` })
    const category = await call.appCenter.insert_category({ name: `Sweep ${customer} ${device.sn}` })
    return {
      app_kid: app.kid,
      app_version_kid: app.version_kid,
      app_category_kid: category.kid,
      app_upload_kid: await uploadApk(call, apk(2)),
    }
  },
  inputs: (t) => ({ ...inputs('app_center', t), ...inputs('ops/platform_apk', t) }),
  refusals: async (s) => ({
    ...(await refusals(s, 'appCenter', s.root)),
    ...(await refusals(s, 'opsPlatformApk', s.operator)),
  }),
  tables: ['app', 'app_version', 'app_category', 'app_dependency', 'app_picture', 'push_task_app'],
  not_found: ['app_category_unknown', 'app_dependency_unknown'],
}

function inputs(
  group: string,
  t: { app_kid: string; app_version_kid: string; app_category_kid: string; app_upload_kid: string },
): Record<string, Record<string, unknown>> {
  const { app_kid, app_version_kid, app_category_kid, app_upload_kid: upload_kid } = t
  const of = { kid: app_kid }
  const version = { kid: app_version_kid }
  const all: Record<string, Record<string, unknown>> = {
    list_category: {},
    insert_category: { name: `New ${Math.random()}`, parent_kid: app_category_kid },
    update_category: { kid: app_category_kid, name: `Renamed ${Math.random()}` },
    delete_category: { kid: app_category_kid },
    paging: { category_kid: app_category_kid },
    get: of,
    get_space: {},
    list_upload: {},
    inspect_upload: { upload_kid, app_kid },
    insert: { upload_kid, name: 'New', category_kid: app_category_kid, dependency_kids: [app_kid] },
    update: { ...of, name: 'Edited', category_kid: app_category_kid },
    delete: of,
    enlist: of,
    delist: of,
    open_tasks: of,
    paging_version: { app_kid },
    get_version: version,
    insert_version: { app_kid, upload_kid },
    update_version: { ...version, notes: 'Edited' },
    offer_version: version,
    delete_version: version,
    download_version: version,
    installed: of,
  }
  return Object.fromEntries(Object.entries(all).map(([key, input]) => [`${group}/${key}`, input]))
}

async function refusals(s: Stage, group: AppGroup, who: Caller): Promise<Refusals> {
  const calls = group === 'appCenter' ? own : platform
  const apps = who[group]
  // What was full for one case is not for the next.
  const room = async () => void (await roomAgain(s, group === 'appCenter' ? s.customer_kid : s.provider_kid))
  const made = async (more: Parameters<typeof copiedApp>[2] = {}) => {
    await room()
    return copiedApp(s, group, more)
  }
  /** One upload for all who ask for it and are refused: it is not taken by that. */
  const shared = (name: string, make: () => Promise<string>) => () => s.sharedUpload(`${name} of ${group}`, make)
  const package_ = shared('a package', () => uploadApk(who, apk(1)))
  const draft = async (more: object) => ({ upload_kid: await package_(), name: s.unique('App'), ...more })
  const edited = async (more: object) => ({ kid: (await made()).kid, ...more })
  const category = (parent_kid: string | null = null) =>
    apps.insert_category({ name: s.unique('Category'), parent_kid })
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const pictures = (n: number) => Promise.all(Array.from({ length: n }, (_, at) => uploadFile(who, `${at}.png`, png)))
  /** Whose uploads are of an account in which there is no room left. */
  const full = async () => {
    const other = group === 'appCenter' ? s.w.customers[1]! : who
    const account_kid = group === 'appCenter' ? s.w.seed.customers[1]!.account_kid : s.provider_kid
    return { other, account_kid }
  }
  const withoutRoom = async (make: (caller: Caller) => Promise<object>) => {
    const { other, account_kid } = await full()
    const input = await make(other)
    await s.deps.db
      .updateTable('disk_space')
      .set((eb) => ({ max_bytes: eb.ref('used_bytes') }))
      .where('account_kid', '=', account_kid)
      .where('area', '=', 'app_center')
      .execute()
    return by(other, input)
  }
  const bad = {
    apk_invalid: shared('no package', () => uploadFile(who, 'a.apk', Buffer.from('no package'))),
    apk_unsigned: shared('an unsigned package', () =>
      uploadFile(who, 'a.apk', zip({ entries: [{ name: 'AndroidManifest.xml', content: Buffer.alloc(9) }] })),
    ),
    apk_beyond_limits: shared('a crowded package', () => uploadFile(who, 'a.apk', crowdedZip())),
    upload_not_finished: shared('half a package', () => createUpload(who, 'half.apk', 1000)),
    file_transfer_failed: shared('a lost package', () => lostUpload(s, s.unique('lost'), who)),
    app_facts_missing: shared('a mute package', async () => uploadFile(who, 'a.apk', await mute())),
  }
  const { app_facts_missing: _, ...unreadable } = bad
  const uploads = <M extends Record<string, () => Promise<string>>>(of: M, more: () => Promise<object>) =>
    Object.fromEntries(
      Object.entries(of).map(([name, upload]) => [
        name,
        async () => ({ upload_kid: await upload(), ...(await more()) }),
      ]),
    ) as Record<keyof M, () => Promise<object>>
  const draftRefusals = (input: (more: object) => Promise<object>) => ({
    app_category_unknown: () => input({ category_kid: unknownKid }),
    app_dependency_unknown: () => input({ dependency_kids: [unknownKid] }),
    app_picture_invalid: async () => input({ icon_upload_kid: await uploadFile(who, 'a.png', Buffer.from('<svg/>')) }),
  })
  const same = async () => {
    const name = packageName()
    return { name, app: await made({ named: name }) }
  }
  const version = async (version_code: number, more: object = {}, certificate_?: Buffer) => {
    const { name, app } = await same()
    return { app_kid: app.kid, upload_kid: await uploadApk(who, apk(version_code, name, certificate_)), ...more }
  }
  const another = await otherSigner()
  /** A listed app that waits for a device which is not there. */
  const pushed = async () => {
    const name = packageName()
    const app = await made({ named: name, is_listed: true })
    const { kid: push_task_kid } = await s.root.pushTask.insert({
      type: 'app_install',
      payload: { apps: [{ app_kid: app.kid }] },
      terminal_kids: [await s.absentDevice()],
    })
    return { name, push_task_kid, ...app }
  }
  return {
    ...refusalsOf(calls.insert_category, who, {
      duplicate_name: async () => {
        const name = s.unique('Held')
        await apps.insert_category({ name })
        return { name: name.toUpperCase() }
      },
      app_category_unknown: () => ({ name: 'x', parent_kid: unknownKid }),
      app_category_level: async () => ({ name: 'x', parent_kid: (await category((await category()).kid)).kid }),
      app_category_limit: async () => {
        const top = await category()
        const { account_kid, created_at } = await s.deps.db
          .selectFrom('app_category')
          .selectAll()
          .where('kid', '=', top.kid)
          .executeTakeFirstOrThrow()
        const row = { account_kid, created_at, parent_kid: top.kid }
        const rows = Array.from({ length: appLimits.categories }, (_one, n) => ({
          ...row,
          kid: newKid(),
          name: `${n}`,
        }))
        await s.deps.db.insertInto('app_category').values(rows).execute()
        return { name: 'One more', parent_kid: top.kid }
      },
    }),
    ...refusalsOf(calls.update_category, who, {
      duplicate_name: async () => {
        const name = s.unique('Held')
        await apps.insert_category({ name })
        return { kid: (await category()).kid, name }
      },
    }),
    ...refusalsOf(calls.delete_category, who, {
      app_category_has_children: async () => {
        const { kid } = await category()
        await category(kid)
        return { kid }
      },
    }),
    ...refusalsOf(
      calls.inspect_upload,
      who,
      uploads(unreadable, async () => ({})),
    ),
    ...refusalsOf(calls.insert, who, {
      ...uploads(bad, async () => ({ name: 'x' })),
      ...draftRefusals(draft),
      app_package_taken: async () => {
        const { name } = await same()
        return { upload_kid: await uploadApk(who, apk(11, name)), name: 'Again' }
      },
      storage_exceeded: () =>
        withoutRoom(async (other) => ({ upload_kid: await uploadApk(other, apk(1)), name: s.unique('App') })),
    }),
    ...refusalsOf(calls.update, who, {
      ...draftRefusals(edited),
      app_pictures_limit: async () => {
        const { kid } = await made()
        await apps.update({ kid, screenshot_upload_kids: await pictures(1) })
        return { kid, screenshot_upload_kids: await pictures(appLimits.screenshots) }
      },
      upload_not_finished: async () => edited({ icon_upload_kid: await bad.upload_not_finished() }),
      file_transfer_failed: async () => edited({ icon_upload_kid: await bad.file_transfer_failed() }),
      app_dependency_cycle: async () => {
        const { kid } = await made()
        return { kid, dependency_kids: [kid] }
      },
      storage_exceeded: () =>
        withoutRoom(async (other) => {
          await roomAgain(s, (await full()).account_kid)
          const upload_kid = await uploadApk(other, apk(1))
          const { kid } = await other[group].insert({ upload_kid, name: s.unique('App') })
          return { kid, icon_upload_kid: await uploadFile(other, 'a.png', png) }
        }),
    }),
    ...refusalsOf(calls.delete, who, {
      app_listed: async () => ({ kid: (await made({ is_listed: true })).kid }),
      app_needed: async () => {
        const { kid } = await made()
        await made({ dependency_kids: [kid] })
        return { kid }
      },
      app_has_tasks: async () => {
        const { kid } = await pushed()
        await apps.delist({ kid, tasks: 'cancel' })
        return { kid }
      },
    }),
    ...refusalsOf(calls.enlist, who, {
      app_listed_already: async () => ({ kid: (await made({ is_listed: true })).kid }),
      app_without_version: async () => {
        const { kid, version_kid } = await made()
        await apps.delete_version({ kid: version_kid })
        return { kid }
      },
    }),
    ...refusalsOf(calls.delist, who, {
      app_delisted_already: async () => ({ kid: (await made()).kid }),
      app_delist_choice: async () => ({ kid: (await pushed()).kid }),
    }),
    ...refusalsOf(calls.insert_version, who, {
      ...uploads(unreadable, async () => ({ app_kid: (await made()).kid })),
      app_facts_missing: async () => ({ app_kid: (await made()).kid, upload_kid: await bad.app_facts_missing() }),
      app_package_differs: async () => ({ app_kid: (await made()).kid, upload_kid: await package_() }),
      app_signer_differs: () => version(11, {}, another),
      app_version_lower: () => version(copied_code - 1),
      duplicate_version: () => version(copied_code),
      storage_exceeded: () =>
        withoutRoom(async (other) => {
          await roomAgain(s, (await full()).account_kid)
          const name = packageName()
          const upload_kid = await uploadApk(other, apk(1, name))
          const { kid } = await other[group].insert({ upload_kid, name: s.unique('App') })
          return { app_kid: kid, upload_kid: await uploadApk(other, apk(2, name)) }
        }),
    }),
    ...refusalsOf(calls.update_version, who, {
      app_facts_read: async () => ({ kid: (await made()).version_kid, version_name: 'another' }),
    }),
    ...refusalsOf(calls.delete_version, who, {
      app_version_offered: async () => ({ kid: (await made({ is_listed: true })).version_kid }),
      app_version_has_tasks: async () => {
        const { kid: app_kid, version_kid, name } = await pushed()
        await apps.insert_version({ app_kid, upload_kid: await uploadApk(who, apk(11, name)) })
        return { kid: version_kid }
      },
    }),
  }
}

const roomAgain = (s: Stage, account_kid: string) =>
  s.deps.db
    .updateTable('disk_space')
    .set({ max_bytes: 2 ** 40 })
    .where('account_kid', '=', account_kid)
    .where('area', '=', 'app_center')
    .execute()

/** Signed, with a manifest that says nothing. */
async function mute(): Promise<Buffer> {
  const whole = await apk(1)
  const end = whole.lastIndexOf('APK Sig Block 42') + 16
  const block = whole.subarray(end - Number(whole.readBigUInt64LE(end - 24)) - 8, end)
  return zip({ entries: [{ name: 'AndroidManifest.xml', content: Buffer.alloc(64, 1) }], block })
}
