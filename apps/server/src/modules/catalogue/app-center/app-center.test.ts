import { readFile } from 'node:fs/promises'
import { contract } from '@mdm/contract'
import type { App, AppDetails, AppVersion, Call, InspectedPackage } from '@mdm/contract'
import { sql } from 'kysely'
import { PNG } from 'pngjs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createRole, createUser } from '../../people/account/index.ts'
import { createSession } from '../../people/login/index.ts'
import { inMemory } from '../../../lib/apk/source.ts'
import { disguisedApk, realApk, zip } from '../../../testing/apk.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { readSigner } from '../../../lib/apk/signer.ts'
import { newKid } from '../../../lib/ids.ts'
import { sharedHash } from '../../../lib/shared-hash.ts'
import { keepInstalled } from '../../fleet/installed-app/index.ts'
import type { InstalledApps } from '../../fleet/installed-app/index.ts'

const { appCenter, opsPlatformApk, terminal } = contract
const calls = appCenter.calls

let w: TestHttpServer
let real: Buffer
let certificate: Buffer
/** One that another has: it differs in its serial number. */
let other_certificate: Buffer
let provider: Person
beforeAll(async () => {
  w = await testHttpServer()
  real = await readFile(realApk)
  certificate = (await readSigner(inMemory(real))).certificate
  other_certificate = Buffer.from(certificate)
  other_certificate[15]! ^= 1
  provider = await operator()
})
afterEach(() => expect(w.internal_errors).toEqual([]))
afterAll(() => w.close())

type Person = { account_kid: string; user_kid: string; bearer: { authorization: string } }
const librarian = (account_kid?: string): Promise<Person> =>
  w.person(['appCenter*'], account_kid ? { account_kid } : {})
async function operator(): Promise<Person> {
  const account_kid = (await createAccount(w.deps.db, { type: 101, name: 'Provider' })).kid
  const role = await createRole(w.deps.db, { account_kid, code: 'all', name: 'all', permissions: ['*'] })
  const draft = {
    account_kid,
    type: 101 as const,
    username: newKid(),
    name: 'Olga',
    password_hash: await sharedHash('x'),
  }
  const { kid } = await createUser(w.deps.db, { ...draft, role_kids: [role.kid] })
  const token = await createSession(w.deps, kid, { address: '127.0.0.1', user_agent: 'test' })
  return { account_kid, user_kid: kid, bearer: { authorization: `Bearer ${token}` } }
}

async function tried(by: Person, { method, path }: Call, input: object) {
  const query = method === 'GET' ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
  const body = method === 'POST' ? { body: JSON.stringify(input) } : {}
  return (await w.call(`/api/${path}${query}`, { method, headers: by.bearer, ...body })).body
}
async function done<T = unknown>(by: Person, call: Call, input: object): Promise<T> {
  const answer = await tried(by, call, input)
  expect(answer).toMatchObject({ result: 1 })
  return answer.data as T
}
const result = async (by: Person, call: Call, input: object) => (await tried(by, call, input)).result

async function upload(by: Person, bytes: Buffer, name = 'some.apk'): Promise<string> {
  const tus = { 'tus-resumable': '1.0.0', ...by.bearer }
  const coded = (text: string) => Buffer.from(text).toString('base64')
  const begun = await w.call('/upload', {
    method: 'POST',
    headers: {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${coded(name)},area ${coded('app_center')}`,
    },
  })
  const location = begun.headers.get('location')!
  await w.call(location, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes) as unknown as string,
  })
  return location.split('/').at(-1)!
}
const apk = (version_code: number, facts: Partial<Parameters<typeof disguisedApk>[0]> = {}) =>
  disguisedApk({ certificate, version_code, ...facts })
const add = async (by: Person, bytes: Buffer, more: object = {}) =>
  done<{ kid: string; version_kid: string }>(by, calls.insert, {
    upload_kid: await upload(by, bytes),
    name: 'Settings',
    ...more,
  })
const get = (by: Person, kid: string) => done<AppDetails>(by, calls.get, { kid })
const list = async (by: Person, input: object = {}) => (await done<{ items: App[] }>(by, calls.paging, input)).items
const space = async (account_kid: string) =>
  w.deps.db
    .selectFrom('disk_space')
    .select(['used_bytes', 'item_count', 'area'])
    .where('account_kid', '=', account_kid)
    .where('area', '=', 'app_center')
    .executeTakeFirstOrThrow()

test('a real APK from upload to listed, delisted, deleted: facts, icon, space and bytes', async () => {
  const by = await librarian()
  const upload_kid = await upload(by, real, 'settings.apk')
  const inspected = await done<InspectedPackage>(by, calls.inspect_upload, { upload_kid })
  expect(inspected).toMatchObject({ missing: [], app: null })
  expect(inspected.facts).toMatchObject({ package: 'io.appium.settings', version_code: 192, label: 'Appium Settings' })
  expect(inspected.facts.icon).toMatch(/^data:image\/png;base64,/)
  const { kid, version_kid } = await done<{ kid: string; version_kid: string }>(by, calls.insert, {
    upload_kid,
    name: 'Appium Settings',
    developer: 'Appium',
    intro: 'Settings\nof a device',
  })
  const app = await get(by, kid)
  expect(app).toMatchObject({
    package: 'io.appium.settings',
    state: 'delisted',
    origin: 'private',
    version_count: 1,
    intro: 'Settings\nof a device',
    offered: { kid: version_kid, version_name: '8.0.10', version_code: 192, size: real.length },
  })
  const icon = await fetch(w.url + app.icon_url!)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(await space(by.account_kid)).toMatchObject({ used_bytes: app.space_used, item_count: 1 })
  expect(app.space_used).toBeGreaterThan(real.length)
  const version = await done<AppVersion>(by, calls.get_version, { kid: version_kid })
  expect(version).toMatchObject({
    min_sdk: 26,
    target_sdk: 35,
    abis: [],
    kind: 'apk',
    is_typed: false,
    is_offered: true,
  })
  const { url } = await done<{ url: string }>(by, calls.download_version, { kid: version_kid })
  expect(Buffer.from(await (await fetch(w.url + url)).arrayBuffer()).equals(real)).toBe(true)
  expect((await get(by, kid)).download_count).toBe(1)

  expect(await result(by, calls.delist, { kid })).toBe(45111)
  await done(by, calls.enlist, { kid })
  expect(await result(by, calls.enlist, { kid })).toBe(45110)
  expect(await result(by, calls.delete, { kid })).toBe(45109)
  await done(by, calls.delist, { kid })
  await done(by, calls.delete, { kid })
  expect(await list(by)).toEqual([])
  expect(await space(by.account_kid)).toMatchObject({ used_bytes: 0, item_count: 0 })
  expect((await fetch(w.url + url)).status).toBe(404)
  // The upload went with the version that it was kept as.
  expect(await result(by, calls.insert, { upload_kid, name: 'Again' })).toBe(45003)
})

test('versions: lower ones cannot be the newest, another key has to be accepted, older ones can be offered again', async () => {
  const by = await librarian()
  const { kid, version_kid } = await add(by, await apk(10), { is_listed: true })
  const version = async (bytes: Buffer, more: object = {}) => ({
    app_kid: kid,
    upload_kid: await upload(by, bytes),
    ...more,
  })
  const higher = await done<{ kid: string }>(by, calls.insert_version, await version(await apk(20)))
  expect((await get(by, kid)).offered).toMatchObject({ kid: higher.kid, version_code: 20 })
  expect(await result(by, calls.insert_version, await version(await apk(15)))).toBe(45106)
  expect(await result(by, calls.insert_version, await version(await apk(20)))).toBe(44008)
  const kept = await version(await apk(15), { is_offered: false })
  await done(by, calls.insert_version, kept)
  expect((await get(by, kid)).offered).toMatchObject({ version_code: 20 })

  const foreign = await version(await apk(30, { certificate: other_certificate }))
  const seen = await done<InspectedPackage>(by, calls.inspect_upload, { upload_kid: foreign.upload_kid, app_kid: kid })
  expect(seen.app).toMatchObject({ kid, highest_code: 20, signer_differs: true })
  expect(await result(by, calls.insert_version, foreign)).toBe(45105)
  await done(by, calls.insert_version, { ...foreign, is_signer_accepted: true })
  const elsewhere = await apk(40, { package: 'io.appium.settingz' })
  expect(await result(by, calls.insert_version, await version(elsewhere))).toBe(45104)

  await done(by, calls.offer_version, { kid: version_kid })
  expect((await get(by, kid)).offered).toMatchObject({ version_code: 10 })
  expect(await result(by, calls.delete_version, { kid: version_kid })).toBe(45107)
  await done(by, calls.delete_version, { kid: higher.kid })
  const { items } = await done<{ items: AppVersion[] }>(by, calls.paging_version, { app_kid: kid })
  expect(items.map(({ version_code, is_offered }) => [version_code, is_offered])).toEqual([
    [30, false],
    [15, false],
    [10, true],
  ])
  await done(by, calls.update_version, { kid: version_kid, notes: 'First' })
  expect(await result(by, calls.update_version, { kid: version_kid, version_name: '9' })).toBe(45102)
})

test('facts that a package does not say have to be typed, and a file that is no package is refused', async () => {
  const by = await librarian()
  const whole = await apk(1)
  const end = whole.lastIndexOf('APK Sig Block 42') + 16
  const block = whole.subarray(end - Number(whole.readBigUInt64LE(end - 24)) - 8, end)
  const mute = zip({ entries: [{ name: 'AndroidManifest.xml', content: Buffer.alloc(64, 1) }], block })
  const upload_kid = await upload(by, mute)
  const { missing } = await done<InspectedPackage>(by, calls.inspect_upload, { upload_kid })
  expect(missing).toEqual(['package', 'version_name', 'version_code'])
  const refused = await tried(by, calls.insert, { upload_kid, name: 'Typed', package: 'com.example.typed' })
  expect(refused.result).toBe(45101)
  expect(Object.keys((refused.data as { fields: object }).fields)).toEqual(['version_name', 'version_code'])
  const typed = { package: 'com.example.typed', version_name: '3.2.0', version_code: 320 }
  expect(await result(by, calls.insert, { upload_kid, name: 'Typed', ...typed, version_code: '3.2.0' })).toBe(10000)
  const { version_kid } = await done<{ version_kid: string }>(by, calls.insert, { upload_kid, name: 'Typed', ...typed })
  const version = await done<AppVersion>(by, calls.get_version, { kid: version_kid })
  expect(version).toMatchObject({ version_name: '3.2.0', version_code: 320, is_typed: true })
  await done(by, calls.update_version, { kid: version_kid, version_name: '3.2' })

  const bomb = zip({ entries: Array.from({ length: 31_000 }, (_, n) => ({ name: `${n}`, content: Buffer.alloc(1) })) })
  for (const [bytes, code] of [
    [Buffer.from('no package at all'), 42032],
    [zip({ entries: [{ name: 'a.txt', content: Buffer.from('a') }] }), 42032],
    [bomb, 42034],
  ] as const)
    expect(await result(by, calls.insert, { upload_kid: await upload(by, bytes), name: 'x', ...typed })).toBe(code)
  expect(await result(by, calls.insert, { upload_kid: await upload(by, await apk(2)), name: 'Settings' })).toBe(1)
  expect(await result(by, calls.insert, { upload_kid: await upload(by, await apk(3)), name: 'Settings' })).toBe(45103)
})

test('apps that are needed: circles are refused, and what is needed stays', async () => {
  const by = await librarian()
  const [a, b, c] = await Promise.all(
    ['a', 'b', 'c'].map(async (letter) =>
      add(by, await apk(1, { package: `io.appium.setting${letter}` }), { name: letter }),
    ),
  )
  const needs = (kid: string, dependency_kids: string[]) => ({ kid, dependency_kids })
  await done(by, calls.update, needs(a!.kid, [b!.kid]))
  await done(by, calls.update, needs(b!.kid, [c!.kid]))
  expect(await result(by, calls.update, needs(c!.kid, [a!.kid]))).toBe(45114)
  expect(await result(by, calls.update, needs(c!.kid, [c!.kid]))).toBe(45114)
  expect(await result(by, calls.update, needs(c!.kid, [newKid()]))).toBe(45113)
  expect((await get(by, b!.kid)).needed_by.map(({ name }) => name)).toEqual(['a'])
  expect(await result(by, calls.delete, { kid: c!.kid })).toBe(45112)
  const two = await Promise.all([
    tried(by, calls.update, needs(b!.kid, [])),
    tried(by, calls.update, needs(c!.kid, [b!.kid])),
  ])
  expect(two.filter(({ result: code }) => code === 1).length).toBeGreaterThan(0)
})

test('pictures are looked at, counted, put in order and removed', async () => {
  const by = await librarian()
  const picture = (side: number) => PNG.sync.write(new PNG({ width: side, height: side }))
  const shots = await Promise.all([8, 9].map((side) => upload(by, picture(side), 's.png')))
  const { kid } = await add(by, await apk(1), {
    screenshot_upload_kids: shots,
    icon_upload_kid: await upload(by, picture(7)),
  })
  const { screenshots, space_used } = await get(by, kid)
  expect(screenshots).toHaveLength(2)
  const [first, second] = screenshots.map((shot) => shot.kid)
  await done(by, calls.update, { kid, screenshot_kids: [second, first] })
  expect((await get(by, kid)).screenshots.map((shot) => shot.kid)).toEqual([second, first])
  await done(by, calls.update, { kid, screenshot_kids: [second] })
  expect((await get(by, kid)).space_used).toBe(space_used - picture(8).length)
  const huge = picture(8)
  huge.writeUInt32BE(60_000, 16)
  huge.writeUInt32BE(60_000, 20)
  for (const bytes of [Buffer.from('<svg/>'), huge, Buffer.concat([picture(8), Buffer.alloc(3 * 1024 ** 2)])])
    expect(await result(by, calls.update, { kid, icon_upload_kid: await upload(by, bytes) })).toBe(45119)
  const many = await Promise.all(Array.from({ length: 8 }, (_, n) => upload(by, picture(n + 1))))
  expect(await result(by, calls.update, { kid, screenshot_upload_kids: many })).toBe(45120)
})

test('categories have two levels, and leave their apps behind', async () => {
  const by = await librarian()
  const category = (name: string, parent_kid: string | null = null) => ({ name, parent_kid })
  const top = await done<{ kid: string }>(by, calls.insert_category, category('Work'))
  const below = await done<{ kid: string }>(by, calls.insert_category, category('Scanning', top.kid))
  expect(await result(by, calls.insert_category, category('work'))).toBe(44001)
  expect(await result(by, calls.insert_category, category('Deeper', below.kid))).toBe(45116)
  expect(await result(by, calls.insert_category, category('Lost', newKid()))).toBe(45115)
  const { kid } = await add(by, await apk(1), { category_kid: below.kid })
  expect((await list(by, { category_kid: top.kid })).map((app) => app.kid)).toEqual([kid])
  expect(await result(by, calls.delete_category, { kid: top.kid })).toBe(45118)
  await done(by, calls.delete_category, { kid: below.kid })
  expect((await get(by, kid)).category_kid).toBe(null)
})

test('apps of the provider are inherited once they are listed: read by every customer, changed by none', async () => {
  const ops = opsPlatformApk.calls
  const { kid, version_kid } = await done<{ kid: string; version_kid: string }>(provider, ops.insert, {
    upload_kid: await upload(provider, await apk(5)),
    name: 'Platform settings',
  })
  const by = await librarian()
  expect(await list(by)).toEqual([])
  expect(await result(by, calls.get, { kid })).toBe(404)
  await done(provider, ops.enlist, { kid })
  expect(await list(by)).toMatchObject([{ kid, origin: 'inherited', created_by: '' }])
  expect(await list(by, { origin: 'private' })).toEqual([])
  expect(await get(by, kid)).toMatchObject({ origin: 'inherited', offered: { kid: version_kid } })
  await done(by, calls.paging_version, { app_kid: kid })
  await done(by, calls.download_version, { kid: version_kid })
  const upload_kid = await upload(by, await apk(6))
  for (const [call, input] of [
    [calls.update, { kid, name: 'Mine now' }],
    [calls.delist, { kid }],
    [calls.delete, { kid }],
    [calls.insert_version, { app_kid: kid, upload_kid }],
    [calls.inspect_upload, { app_kid: kid, upload_kid }],
    [calls.update_version, { kid: version_kid, notes: 'mine' }],
    [calls.offer_version, { kid: version_kid }],
    [calls.delete_version, { kid: version_kid }],
  ] as const)
    expect([call.path, await result(by, call, input)]).toEqual([call.path, 404])
  // The same package of one's own stands beside it, and may need it.
  const own = await done<{ kid: string }>(by, calls.insert, { upload_kid, name: 'Own', dependency_kids: [kid] })
  expect((await get(by, own.kid)).dependencies).toMatchObject([{ kid, origin: 'inherited' }])
  await done(provider, ops.delist, { kid })
  expect(await result(provider, ops.delete, { kid })).toBe(45112)
  expect((await list(by)).map((app) => app.kid)).toEqual([own.kid])
})

test('a sub-account inherits the listed apps of the account above it', async () => {
  const by = await librarian()
  const sub = (await createAccount(w.deps.db, { type: 2, name: newKid(), parent_kid: by.account_kid })).kid
  const below = await w.person(['appCenter*'], { account_kid: sub })
  const { kid } = await add(by, await apk(1), { is_listed: true })
  expect(await list(below)).toMatchObject([{ kid, origin: 'inherited' }])
  expect(await result(below, calls.delist, { kid })).toBe(404)
})

test('the last bytes of the space are left to as many of 20 uploads as fit', async () => {
  const by = await librarian()
  const bytes = await apk(1)
  await sql`UPDATE disk_space SET max_bytes = ${bytes.length * 7 + 5} WHERE account_kid = ${by.account_kid}
    AND area = 'app_center'`.execute(w.deps.db)
  const begun = await Promise.all(
    Array.from({ length: 20 }, () =>
      w.call('/upload', {
        method: 'POST',
        headers: {
          'tus-resumable': '1.0.0',
          ...by.bearer,
          'upload-length': String(bytes.length),
          'upload-metadata': `area ${Buffer.from('app_center').toString('base64')}`,
        },
      }),
    ),
  )
  expect(begun.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(7)
  const max = { disk_space: bytes.length * 7 + 5 }
  expect(await done(by, calls.get_space, {})).toEqual({ ...max, used: 0, arriving: bytes.length * 7, app_count: 0 })

  // Those that are kept are counted by the database, whichever way they came.
  const raced = await librarian()
  const uploads = await Promise.all(Array.from({ length: 10 }, async (_, n) => upload(raced, await apk(n + 1))))
  await sql`UPDATE disk_space SET max_bytes = ${bytes.length * 6 + 5} WHERE account_kid = ${raced.account_kid}
    AND area = 'app_center'`.execute(w.deps.db)
  const { kid: app_kid } = await done<{ kid: string }>(raced, calls.insert, { upload_kid: uploads[0], name: 'Raced' })
  const codes: number[] = []
  // Two at a time are read, and two of a person may wait.
  for (let at = 1; at < 10; at += 3)
    codes.push(
      ...(await Promise.all(
        uploads
          .slice(at, at + 3)
          .map((upload_kid) => result(raced, calls.insert_version, { app_kid, upload_kid, is_offered: false })),
      )),
    )
  expect(codes.filter((code) => code === 1)).toHaveLength(5)
  expect(codes.filter((code) => code === 45005)).toHaveLength(4)
  expect((await space(raced.account_kid)).used_bytes).toBe(bytes.length * 6)
  const taken = { used: bytes.length * 6, arriving: bytes.length * 4, app_count: 1 }
  expect(await done(raced, calls.get_space, {})).toEqual({ disk_space: bytes.length * 6 + 5, ...taken })
})

describe('what devices have', () => {
  async function deviceWith({ account_kid }: Person, packages: InstalledApps['packages'], group_kid?: string) {
    const { kid } = await w.device(account_kid, group_kid)
    await w.deps.db
      .insertInto('terminal_state')
      .values({ terminal_kid: kid, account_kid })
      .onConflict((c) => c.doNothing())
      .execute()
    await keepInstalled(w.deps.db, [{ terminal_kid: kid, packages }])
  }

  test('is counted by version within reach, and found by a condition', async () => {
    const by = await librarian()
    const group = await w.deps.db
      .insertInto('terminal_group')
      .values({ kid: newKid(), account_kid: by.account_kid, parent_kid: null, name: 'G', depth: 1 })
      .returning('kid')
      .executeTakeFirstOrThrow()
    const viewer = await w.person(['appCenter*', 'deviceList'], { account_kid: by.account_kid, groups: [group.kid] })
    const all = await w.person(['deviceList'], { account_kid: by.account_kid })
    const versions = ['8.0.10', '8.0.9', '8.0.9', '10.1', undefined]
    for (const [at, version] of versions.entries()) {
      const packages = [
        { name: 'other.app', version: '1' },
        ...(version ? [{ name: 'io.appium.settings', version }] : []),
      ]
      await deviceWith(by, packages, at === 1 ? group.kid : undefined)
    }
    const { kid } = await add(by, real)
    const counted = await done(by, calls.installed, { kid })
    expect(counted).toMatchObject({
      devices: 4,
      behind: 2,
      items: [
        { version: '10.1', devices: 1, version_kid: null },
        { version: '8.0.10', devices: 1 },
        { version: '8.0.9', devices: 2 },
      ],
    })
    expect(await done(viewer, calls.installed, { kid })).toMatchObject({ devices: 1, behind: 1 })
    const stranger = await librarian()
    const theirs = await add(stranger, real)
    expect(await done(stranger, calls.installed, { kid: theirs.kid })).toMatchObject({ devices: 0, items: [] })

    const matching = async (who: Person, op: string, version?: string) => {
      const value = { package: 'io.appium.settings', ...(version && { version }) }
      const where = { all: [{ field: 'app', op, value }] }
      return (await done<{ total: number }>(who, terminal.calls.paging, { where })).total
    }
    expect(await matching(all, 'is_installed')).toBe(4)
    expect(await matching(all, 'is_not_installed')).toBe(1)
    expect(await matching(all, 'is_below', '8.0.10')).toBe(2)
    expect(await matching(all, 'is_at_least', '8.0.10')).toBe(2)
    expect(await matching(all, 'is_version', '8.0.9')).toBe(2)
    expect(await matching(viewer, 'is_below', '8.0.10')).toBe(1)
    expect(
      await result(all, terminal.calls.paging, {
        where: { all: [{ field: 'app', op: 'is_below', value: { package: 'a' } }] },
      }),
    ).toBe(10000)
  })

  test('of one version name is told apart by the codes, where devices say them', async () => {
    const by = await w.person(['appCenter*', 'deviceList', 'softwareReport'])
    const name = 'io.appium.settings'
    for (const version_code of [191, 192, 193, undefined])
      await deviceWith(by, [{ name, version: '8.0.10', version_code }])
    const { kid, version_kid } = await add(by, real)
    const items = [
      { version_code: 193, devices: 1, version_kid: null },
      { version_code: 192, devices: 1, version_kid },
      { version_code: 191, devices: 1, version_kid: null },
      { version_code: null, devices: 1, version_kid },
    ]
    expect(await done(by, calls.installed, { kid })).toMatchObject({ devices: 4, behind: 1, items })
    const matching = async (op: string, version_code?: number) => {
      const value = { package: name, version: '8.0.10', ...(version_code && { version_code }) }
      const where = { all: [{ field: 'app', op, value }] }
      return (await done<{ total: number }>(by, terminal.calls.paging, { where })).total
    }
    // What has no code is as good as its name.
    expect(await matching('is_below', 192)).toBe(1)
    expect(await matching('is_at_least', 192)).toBe(3)
    expect(await matching('is_version', 192)).toBe(2)
    expect(await matching('is_below')).toBe(0)
    expect(await matching('is_version')).toBe(4)
    const report = (input: object) => done(by, contract.software.calls.paging, { package: name, ...input })
    expect(await report({ is_behind: true })).toMatchObject({ total: 1, items: [{ version_code: 191 }] })
    expect(await report({})).toMatchObject({ total: 4 })
  })

  test('is written anew when it changed: what is gone is gone', async () => {
    const by = await librarian()
    const { kid } = await w.device(by.account_kid)
    const keep = (packages: { name: string; version: string }[]) =>
      keepInstalled(w.deps.db, [{ terminal_kid: kid, packages }])
    const said = () =>
      w.deps.db
        .selectFrom('terminal_app')
        .select(['package', 'version'])
        .where('terminal_kid', '=', kid)
        .orderBy('package')
        .execute()
    await keep([
      { name: 'a', version: '1' },
      { name: 'b', version: '1' },
      { name: 'b', version: '0' },
    ])
    expect(await said()).toEqual([
      { package: 'a', version: '1' },
      { package: 'b', version: '1' },
    ])
    await keep([{ name: 'b', version: '2' }])
    expect(await said()).toEqual([{ package: 'b', version: '2' }])
  })
})
