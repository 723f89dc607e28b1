import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { contract } from '@mdm/contract'
import type { OsBuildDetail, OsCustomDetail } from '@mdm/contract'
import { PNG } from 'pngjs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { localObjects } from '../files/local-objects.ts'
import { newKid } from '../lib/ids.ts'
import { addApp as addListedApp } from './apps.ts'
import { testApi } from './calls.ts'
import type { TestApi } from './calls.ts'
import { addBase, addCustom, addModel } from './os-customs.ts'
import { addUid, addUpload } from './os-versions.ts'

export const calls = contract.osCustom.calls
export const uid = 'NM11602S1E0ENGEN0001'

export type Person = Awaited<ReturnType<TestApi['person']>>
/** Made by `beginWorld`, and anew for each test file. */
export let o: TestApi
export let acme: Person
export let globex: Person
export let acme_sub: Person
export let folder: string
export let uid_kid: string
export let model_kid: string
export let base_kid: string
/** A provider with a base version, and customers, for every test of a file. */
export function customWorld(): void {
  beforeAll(beginWorld)
  afterAll(async () => {
    await o.close()
    await rm(folder, { recursive: true, force: true })
  })
  afterEach(() => expect(o.internal_errors.splice(0).map(String)).toEqual([]))
  beforeEach(emptyWorld)
}

async function beginWorld(): Promise<void> {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'os-custom-'))
  o.deps.objects = await localObjects(folder)
  o.deps.config.data = folder
  o.deps.signFile = (object) => `/files/${object}`
  const may = ['userOsCustom*', 'userOsPush*', 'deviceList', 'pushTaskList*']
  acme = await o.person(1, o.acme.kid, 'acme.custom', may)
  acme_sub = await o.person(2, o.acme_sub.kid, 'acme.sub.custom', may)
  globex = await o.person(1, o.globex.kid, 'globex.custom', may)
}

async function emptyWorld(): Promise<void> {
  const { db } = o.deps
  for (const table of [
    'push_task',
    'terminal',
    'os_build',
    'os_build_start',
    'os_custom',
    'oscs_base',
    'oscs_model',
    'os_version',
    'os_uid',
    'os_information',
    'app',
    'file_cloud',
    'configuration',
    'terminal_config',
  ] as const)
    await db.deleteFrom(table).execute()
  uid_kid = await addUid(o.deps, uid)
  model_kid = await addModel(o.deps, uid_kid, 'M102')
  base_kid = await addBase(o.deps, model_kid, 'm102_9.00.123')
}

export const insert = (more: object = {}, who = acme) => o.call(calls.insert, { name: 'Shop', base_kid, ...more }, who)
export const made = async (more: object = {}, who = acme): Promise<string> => (await insert(more, who)).data.kid
export const get = async (kid: string, who = acme): Promise<OsCustomDetail> =>
  (await o.call(calls.get, { kid }, who)).data
export const build = async (kid: string, who = acme) => o.call(calls.recustomise, { kid }, who)
export const detail = async (kid: string, who = acme): Promise<OsBuildDetail> =>
  (await o.call(calls.get_build, { kid }, who)).data
export const over = async (kid: string, who = acme): Promise<OsBuildDetail> =>
  vi.waitFor(async () => {
    const found = await detail(kid, who)
    expect(['completed', 'failed', 'canceled']).toContain(found.state)
    return found
  })
export const built = async (kid: string, who = acme): Promise<OsBuildDetail> =>
  over((await build(kid, who)).data.build_kid, who)
export const swept = (kid: string) =>
  vi.waitFor(async () => expect(await readdir(join(folder, 'os-builds'))).not.toContain(kid))
export const say = async (asked: Promise<{ message: string }>) => (await asked).message
export const used = async (account_kid = o.acme.kid) =>
  (
    await o.deps.db
      .selectFrom('disk_space')
      .select('used_bytes')
      .where('account_kid', '=', account_kid)
      .where('area', '=', 'file_disk')
      .executeTakeFirstOrThrow()
  ).used_bytes

export async function addFile(account_kid: string, name: string, content: string): Promise<string> {
  const kid = newKid()
  const info = await o.deps.objects.put(kid, Readable.from([Buffer.from(content)]), 1_000_000)
  const author = { created_by_kid: newKid(), created_by: 'x', created_at: o.deps.clock.now() }
  await o.deps.db
    .insertInto('file_cloud')
    .values({ kid, account_kid, name, ...info, content_type: 'text/plain', object: kid, ...author })
    .execute()
  return kid
}
export async function addApp(account_kid: string, name: string, content: string): Promise<string> {
  const object = newKid()
  const info = await o.deps.objects.put(object, Readable.from([Buffer.from(content)]), 1_000_000)
  const of = { account_kid, package: `com.example.${name.toLowerCase()}`, name, version_name: '1.2', version_code: 12 }
  return addListedApp(o.deps, { ...of, bytes: { ...info, object } })
}
export async function addConfiguration(account_kid: string): Promise<string> {
  const kid = newKid()
  const now = o.deps.clock.now()
  const by = { updated_at: now, updated_by_kid: newKid(), updated_by: 'x' }
  await o.deps.db
    .insertInto('configuration')
    .values({
      kid,
      account_kid,
      type: 1,
      ltscope: 20,
      name: 'Default',
      version: 3,
      section_count: 2,
      created_at: now,
      ...by,
    })
    .execute()
  for (const [section, value] of [
    ['display', { level: 80 }],
    ['wifi_profiles', { networks: [{ ssid: 'Shop', password: { sealed: 'abc' } }] }],
  ] as const)
    await o.deps.db
      .insertInto('terminal_config')
      .values({
        kid: newKid(),
        account_kid,
        section: section as never,
        ltscope: 20,
        value: JSON.stringify(value),
        ...by,
      })
      .execute()
  return kid
}
export const png = (width = 4, height = 3) => PNG.sync.write(new PNG({ width, height }))
export const uploadPicture = (bytes: Buffer, who = acme) =>
  addUpload(o.deps, { account_kid: who.account_kid, user_kid: who.kid }, 'boot.png', bytes)

export const packageOf = async ({ kid }: { kid: string }) => buffer(await o.deps.objects.read(kid))
export async function entriesIn(zip: Buffer): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const archive = await fromBufferPromise(zip, {})
  for await (const entry of archive.eachEntry())
    found.set(entry.fileName, (await buffer(await archive.openReadStreamPromise(entry))).toString())
  return found
}

export const addWaiting = async (kid: string) => {
  const other = await addUid(o.deps, newKid().slice(0, 20), { type: 'custom', base_uid_kid: uid_kid })
  const added = await addCustom(
    o.deps,
    o.acme.kid,
    { base_kid, uid_kid: other, name: `Other ${kid.slice(-4)}` },
    'waiting',
  )
  return added
}
