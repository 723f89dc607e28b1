import { fork } from 'node:child_process'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compressUsingDict, createCCtx } from '@bokuweb/zstd-wasm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OsManifest } from '@mdm/device-link'
import { startAgent } from './agent.ts'
import type { Agent } from './agent.ts'
import type { Body, OsBody } from './body/body.ts'
import { osSlots } from './body/os-slots.ts'
import { simulatedBody } from './body/simulated.ts'
import { zstd } from './body/zstd.ts'
import { realClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { believedAfter } from './os-keys.ts'
import { memoryStore } from './store.ts'
import type { Store } from './store.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'
import { systemZip } from './testing/system-zip.ts'
import { zip } from './testing/zip.ts'

const old_build = { uid: 'UID-1', os_version: '9.00.1', version_code: 1, ver: 10 }
const new_build = { uid: 'UID-1', os_version: '9.00.2', version_code: 2, ver: 20 }
const old_files = { 'system.img': 'old system', 'only-old': 'x' }

type Key = { pub: string; own: KeyObject }
const newKey = (): Key => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { pub: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'), own: privateKey }
}
const signed = (key: Key, text: string) => sign(null, Buffer.from(text), key.own).toString('base64')

let server: TestServer
let key: Key
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(() => {
  key = newKey()
  server.settings.os_keys = [key.pub]
  server.requests.length = 0
})
afterEach(() => expect(server.faults.splice(0)).toEqual([]))
afterAll(() => server.close())

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))
async function slotsFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'os-slots-'))
  folders.push(dir)
  await mkdir(join(dir, 'a'))
  for (const [name, text] of Object.entries(old_files)) await writeFile(join(dir, 'a', name), text)
  await writeFile(join(dir, 'a', 'os.json'), JSON.stringify(old_build))
  return dir
}

/** A device with real slots; what a restart is, is played: another boot, and another look at the slots. */
async function realSlots(dir: string) {
  let boot = 1
  const open = async () =>
    (await osSlots(
      dir,
      () => new Date(),
      async () => `boot-${boot}`,
    ))!
  const body: Body & { os: OsBody } = {
    ...simulatedBody({ sn: `OS-${randomBytes(4).toString('hex').toUpperCase()}`, seed: 1 }),
    os: await open(),
  }
  const { inventory } = body
  body.inventory = async () => ({ ...(await inventory()), ...(await body.os.build()) })
  body.boot = async () => ({ boot_id: `boot-${boot}`, boot_at: new Date() })
  body.restart = async () => {
    boot += 1
    body.os = await open()
    return { rebooting: { down_ms: 20 } }
  }
  return body
}

/** Looks twenty times as often at what became of an update; the moments that it writes down and compares are real. */
const quickClock: Clock = { now: realClock.now, after: (ms, run) => realClock.after(ms / 20, run) }

async function online(body: Body, store: Store = memoryStore()): Promise<{ agent: Agent; kid: string }> {
  const agent = startAgent({
    server: server.url,
    body,
    store,
    clock: quickClock,
    reconnect: { base_ms: 5, cap_ms: 20 },
  })
  await server.admit(agent)
  await agent.reached('online')
  return { agent, kid: agent.kid! }
}

let packages = 0
type Part = { from?: OsManifest['packages'][number]['from']; bytes: Buffer }
/** What the server sends for a version with these packages. */
function update(parts: Part[], more: Partial<OsManifest> = {}, by = key) {
  const files = parts.map(({ bytes }) => server.addFile(`os-${(packages += 1)}.zip`, bytes))
  const manifest = JSON.stringify({
    format: 'mdm-os-1',
    from_uids: [new_build.uid],
    ...new_build,
    packages: files.map(({ name, size, md5, sha256 }, at) => ({
      from: parts[at]!.from ?? null,
      name,
      size,
      md5,
      sha256,
    })),
    ...more,
  })
  return {
    manifest,
    signature: signed(by, manifest),
    key: by.pub,
    key_changes: [] as { statement: string; signature: string }[],
    urls: files.map(({ url }) => `/${url}`),
    confirm_seconds: 600,
  }
}
const full = async () => ({ bytes: await systemZip({ 'system.img': 'new system', 'lib/new': 'y' }) })
const difference = async () => ({
  from: { os_version: '9.00.1', version_code: 1, ver: 10 },
  bytes: await systemZip({ 'system.img': 'new system', '.removed': 'only-old\n', 'lib/new': 'y' }),
})
const contentOf = async (dir: string) => {
  const { active } = JSON.parse(await readFile(join(dir, 'state.json'), 'utf8').catch(() => '{"active":"a"}')) as {
    active: string
  }
  const names = (await readdir(join(dir, active), { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  const entries = await Promise.all(
    names.map(async ({ name, parentPath }) => [
      join(parentPath, name).slice(join(dir, active).length + 1),
      await readFile(join(parentPath, name), 'utf8'),
    ]),
  )
  return Object.fromEntries(entries) as Record<string, string>
}
const is_old = { ...old_files, 'os.json': JSON.stringify(old_build) }
const is_new = { 'system.img': 'new system', 'lib/new': 'y', 'os.json': JSON.stringify(new_build) }

describe('a device with two slots', () => {
  test.each([
    ['the full package', async () => [await full()]],
    ['the difference from its version', async () => [await full(), await difference()]],
  ])('takes %s, starts it, and keeps it once the server has heard from it', async (what, parts) => {
    const dir = await slotsFolder()
    const { agent, kid } = await online(await realSlots(dir))
    const payload = update(await parts())
    const { task_kid } = await server.task(kid, { type: 'os', payload })
    expect(await server.report(task_kid, 'completed')).toMatchObject({ result: { text: 'Runs 9.00.2 (VER 20)' } })
    expect(await contentOf(dir)).toEqual(is_new)
    expect(server.of('hello', kid).at(-1)?.inventory).toMatchObject({ os_version: '9.00.2', ver: 20 })
    const fetched = server.requests.map(({ path }) => path).filter((path) => payload.urls.includes(path))
    expect(new Set(fetched)).toEqual(new Set([payload.urls[what.startsWith('the difference') ? 1 : 0]]))
    // The same once more changes nothing.
    const { task_kid: again } = await server.task(kid, { type: 'os', payload })
    expect(await server.report(again, 'completed')).toMatchObject({ result: { text: 'It runs this version already' } })
    agent.kill()
  })

  test('takes the full package where the difference cannot be unpacked', async () => {
    const dir = await slotsFolder()
    const { agent, kid } = await online(await realSlots(dir))
    const broken = { ...(await difference()), bytes: Buffer.from('no archive') }
    const { task_kid } = await server.task(kid, { type: 'os', payload: update([await full(), broken]) })
    await server.report(task_kid, 'completed')
    expect(await contentOf(dir)).toEqual(is_new)
    agent.kill()
  })

  test('goes back by itself when the new version does not reach the server in its time', async () => {
    const dir = await slotsFolder()
    const body = await realSlots(dir)
    const { agent, kid } = await online(body)
    let reachable = true
    body.is_reachable = () => reachable
    const { restart } = body
    body.restart = async (signal) => {
      const outcome = await restart(signal)
      // The new version has no network; the old one has.
      reachable = (await body.os.build()).ver === old_build.ver
      return outcome
    }
    const { task_kid } = await server.task(kid, {
      type: 'os',
      payload: { ...update([await full()]), confirm_seconds: 1 },
    })
    expect(await server.report(task_kid, 'failed')).toMatchObject({ code: 'rolled_back' })
    expect(await contentOf(dir)).toEqual(is_old)
    agent.kill()
  })

  test('asks for the first keys again while the server starts anew', async () => {
    const { agent, kid } = await online(await realSlots(await slotsFolder()))
    server.settings.os_keys_faults = ['cut', 503, 'cut']
    const { task_kid } = await server.task(kid, { type: 'os', payload: update([await full()]) })
    expect(await server.report(task_kid, 'completed')).toMatchObject({ result: { text: 'Runs 9.00.2 (VER 20)' } })
    expect(server.requests.filter(({ path }) => path === '/device/os-keys')).toHaveLength(4)
    agent.kill()
  })

  test('resumes a download that was cut off', async () => {
    const dir = await slotsFolder()
    const { agent, kid } = await online(await realSlots(dir))
    server.settings.cuts = [20_000]
    const bytes = await systemZip({ 'system.img': randomBytes(60_000).toString('base64') })
    const payload = update([{ bytes }])
    const { task_kid } = await server.task(kid, { type: 'os', payload })
    await server.report(task_kid, 'completed')
    const ranges = server.requests.filter(({ path }) => path === payload.urls[0]).map(({ range }) => range)
    expect(ranges).toEqual([undefined, 'bytes=20000-'])
    agent.kill()
  })
})

describe('a device refuses', () => {
  test('what is not signed by a key that it believes, was changed, is older, or is for others', async () => {
    const dir = await slotsFolder()
    const { agent, kid } = await online(await realSlots(dir))
    const good = update([await full()])
    const cases = {
      os_unsigned: { ...good, manifest: good.manifest.replace('9.00.2', '9.00.3') },
      os_key_unknown: update([await full()], {}, newKey()),
      hash_mismatch: update([await full()], {
        packages: [{ ...(JSON.parse(good.manifest) as OsManifest).packages[0]!, sha256: 'a'.repeat(64) }],
      }),
      has_newer: update([await full()], { os_version: '9.00.0', version_code: 1, ver: 5 }),
      other_uid: update([await full()], { from_uids: ['UID-2'] }),
      no_package: update([{ ...(await difference()), from: { os_version: '8.00.1', version_code: 1, ver: 3 } }]),
      os_manifest_bad: (() => {
        const manifest = '{"format":"mdm-os-1"}'
        return { ...good, manifest, signature: signed(key, manifest) }
      })(),
    }
    for (const [code, payload] of Object.entries(cases)) {
      const { task_kid } = await server.task(kid, { type: 'os', payload })
      expect(await server.report(task_kid, 'failed')).toMatchObject({ code })
    }
    expect(await contentOf(dir)).toEqual(is_old)
    agent.kill()
  })

  test('an old key once a new one has revoked it, and believes no change that nobody it believes has signed', () => {
    const [first, second, third, stranger] = [newKey(), newKey(), newKey(), newKey()]
    const change = (old: Key, next: Key, is_old_revoked: boolean, by = old) => {
      const statement = JSON.stringify({ format: 'mdm-os-key-1', old_key: old.pub, new_key: next.pub, is_old_revoked })
      return { statement, signature: signed(by, statement) }
    }
    expect(believedAfter([first.pub], [change(first, second, true), change(second, third, false)])).toEqual([
      second.pub,
      third.pub,
    ])
    expect(believedAfter([first.pub], [change(first, stranger, true, stranger)])).toEqual([first.pub])
    expect(believedAfter([second.pub], [change(first, stranger, true)])).toEqual([second.pub])
    expect(believedAfter([first.pub], [{ statement: 'x', signature: 'y' }])).toEqual([first.pub])
  })
})

const killed = join(process.env['MDM_TEST_PROGRAMS']!, 'slot-writer.js')
test('killed at any moment, the slot that runs is whole: the old version or the new one, never between', async () => {
  const dir = await slotsFolder()
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`part-${n}`, `new ${n} `.repeat(2_000)]))
  await writeFile(join(dir, 'package.zip'), await systemZip(files))
  const whole_new = { ...files, 'os.json': JSON.stringify(new_build) }
  const seen = new Set<string>()
  for (let round = 0; round < 14; round += 1) {
    const child = fork(killed, [dir], { execArgv: [], stdio: 'ignore' })
    const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
    await new Promise<void>((resolve) => child.once('message', () => resolve()))
    // Over all of the work, from its first byte to after its last.
    setTimeout(() => child.kill('SIGKILL'), round * 6)
    await ended
    // The next start.
    const slots = (await osSlots(
      dir,
      () => new Date(),
      async () => `boot-${round}`,
    ))!
    const runs = await contentOf(dir)
    seen.add(runs['os.json'] === is_old['os.json'] ? 'old' : 'new')
    expect([is_old, whole_new]).toContainEqual(runs)
    // Nobody reported: the one after it is the old version again.
    const again = (await osSlots(
      dir,
      () => new Date(),
      async () => `boot-${round}-again`,
    ))!
    expect(await contentOf(dir)).toEqual(is_old)
    expect((await again.build()).ver).toBe(old_build.ver)
    void slots
  }
  expect([...seen]).toContain('old')
})

test('the fleet’s devices do the same, and come back with the old version when the new one does not start', async () => {
  const body = simulatedBody({
    sn: 'SIM-OS',
    seed: 1,
    clock: realClock,
    down_ms: 10,
    faults: { no_start: 1, trial_ms: 30 },
  })
  const build = await body.os!.build()
  const { agent, kid } = await online(body)
  const payload = update([{ bytes: Buffer.from('counted only') }], {
    uid: build.uid,
    from_uids: [build.uid],
    os_version: '99.0.1',
    version_code: 9,
    ver: 999,
  })
  const { task_kid } = await server.task(kid, { type: 'os', payload })
  expect(await server.report(task_kid, 'failed')).toMatchObject({ code: 'rolled_back' })
  expect(await body.os!.build()).toEqual(build)
  body.faults = {}
  const { task_kid: second } = await server.task(kid, { type: 'os', payload })
  await server.report(second, 'completed')
  await vi.waitFor(async () => expect((await body.inventory()).os_version).toBe('99.0.1'))
  agent.kill()
})

test('a simulated device that was updated runs the new version also in the process after this one', async () => {
  const store = memoryStore()
  const played = () => simulatedBody({ sn: 'SIM-KEPT', seed: 1, down_ms: 10, store })
  const body = played()
  const build = await body.os!.build()
  const { agent, kid } = await online(body, store)
  const newer = { uid: build.uid, from_uids: [build.uid], os_version: '99.0.1', version_code: 9, ver: 999 }
  const { task_kid } = await server.task(kid, {
    type: 'os',
    payload: update([{ bytes: Buffer.from('counted only') }], newer),
  })
  await server.report(task_kid, 'completed')
  agent.kill()
  const next = played()
  expect(await next.os!.build()).toEqual({ uid: build.uid, os_version: '99.0.1', version_code: 9, ver: 999 })
  expect((await next.identity()).os_version).toBe('99.0.1')
  expect((await next.inventory()).ver).toBe(999)
  // Another model keeps its own.
  await store.write('simulated_os', { ...newer, uid: 'UID-OTHER' })
  expect(await played().os!.build()).toEqual(build)
})

describe('a difference that the server made', () => {
  /** Whoever starts zstd once more takes its memory away: the agent's own is used. */
  const packer = async () => {
    await zstd()
    return (context ??= createCCtx())
  }
  let context: number | undefined
  /** As the server packs one: every file of the new version, from what the old one has. */
  type Entry = { path: string; text: string; same?: string; base?: string; sha256?: string; at?: number; size?: number }
  async function delta(entries: Entry[], more: { folders?: string[]; trailing?: Buffer; pieces?: Buffer } = {}) {
    const own = await packer()
    const packed: Buffer[] = []
    const files = entries.map(({ path, text, same, base, sha256, at = 0, size }) => {
      const bytes = Buffer.from(text)
      const of = { path, size: size ?? bytes.length, sha256: sha256 ?? sha256Of(text) }
      if (same !== undefined) return { ...of, same }
      const dictionary = base === undefined ? Buffer.alloc(0) : Buffer.from(old_files[base as keyof typeof old_files])
      const piece = more.pieces ?? Buffer.from(compressUsingDict(own, bytes, dictionary, 3))
      packed.push(piece)
      const from = base === undefined ? {} : { base: { path: base, at, size: dictionary.length } }
      return { ...of, pieces: [{ size: of.size, packed: piece.length, ...from }] }
    })
    const index = JSON.stringify({ format: 'mdm-delta-1', folders: more.folders ?? [], files })
    const data = Buffer.concat([...packed, more.trailing ?? Buffer.alloc(0)])
    return zip([
      { name: 'DOWNLOAD/.delta/index.json', content: Buffer.from(index) },
      { name: 'DOWNLOAD/.delta/data', content: data },
    ])
  }
  const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
  const from = { os_version: '9.00.1', version_code: 1, ver: 10 }
  /** A version with its full package and such a difference. */
  async function withDelta(bytes: Buffer, of = from) {
    const whole = update([await full(), { bytes }])
    const manifest = JSON.parse(whole.manifest) as OsManifest
    const { from: _, ...made } = manifest.packages[1]!
    const text = JSON.stringify({ ...manifest, packages: [manifest.packages[0]], deltas: [{ ...made, from: of }] })
    return { ...whole, manifest: text, signature: signed(key, text) }
  }
  const good: Entry[] = [
    { path: 'system.img', text: 'new system', base: 'system.img' },
    { path: 'lib/new', text: 'y' },
  ]
  const run = async (payload: Awaited<ReturnType<typeof withDelta>>, dir: string) => {
    const { agent, kid } = await online(await realSlots(dir))
    const { task_kid } = await server.task(kid, { type: 'os', payload })
    const { result } = (await server.report(task_kid, 'completed')) as { result: { text: string } }
    agent.kill()
    const paths = server.requests.map(({ path }) => path)
    return { text: result.text, fetched: payload.urls.map((url) => paths.includes(url)) }
  }

  test('is all that a device of the version it leads from fetches', async () => {
    const dir = await slotsFolder()
    const said = await run(await withDelta(await delta(good)), dir)
    expect(said).toEqual({ text: 'Runs 9.00.2 (VER 20)', fetched: [false, true] })
    expect(await contentOf(dir)).toEqual(is_new)
  })

  test('is passed over by a device of another version', async () => {
    const dir = await slotsFolder()
    const payload = await withDelta(await delta(good), { ...from, ver: 11 })
    expect((await run(payload, dir)).fetched).toEqual([true, false])
    expect(await contentOf(dir)).toEqual(is_new)
  })

  const bomb = async () => {
    return Buffer.from(compressUsingDict(await packer(), Buffer.alloc(64 * 1024 ** 2), Buffer.alloc(0), 3))
  }
  test.each<[string, () => Promise<Buffer>]>([
    ['leaves the slot', () => delta([...good, { path: '../a/system.img', text: 'z' }])],
    ['leaves it from the root', () => delta([...good, { path: '/tmp/z', text: 'z' }])],
    ['takes what is beside the slot', () => delta([{ path: 'x', text: 'x', same: '../state.json' }])],
    ['makes folders beside the slot', () => delta(good, { folders: ['../c'] })],
    ['has another digest', () => delta([{ ...good[0]!, sha256: 'a'.repeat(64) }, good[1]!])],
    ['says a file is what it is not', () => delta([{ path: 'system.img', text: 'new system', same: 'system.img' }])],
    ['needs a file that is not there', () => delta([{ path: 'x', text: 'x', same: 'nowhere' }])],
    ['needs more of a file than there is', () => delta([{ ...good[0]!, at: 3 }])],
    ['has two files of one name', () => delta([...good, { path: 'SYSTEM.IMG', text: 'z' }])],
    ['has a file for a folder', () => delta([...good, { path: 'lib/new/deeper', text: 'z' }])],
    ['unpacks to more than it says', async () => delta([{ path: 'x', text: 'x' }], { pieces: await bomb() })],
    [
      'unpacks to far too much',
      async () => delta([{ path: 'x', text: 'x', size: 64 * 1024 ** 2 }], { pieces: await bomb() }),
    ],
    ['is cut off', () => delta(good, { pieces: Buffer.alloc(0) })],
    ['is longer than it says', () => delta(good, { trailing: Buffer.from('more') })],
    ['is no difference', async () => zip([{ name: 'DOWNLOAD/.delta/data', content: Buffer.from('x') }])],
    ['is no archive', async () => Buffer.from('no archive')],
  ])('gives way to the full package, once, where it %s', async (_, make) => {
    const dir = await slotsFolder()
    const said = await run(await withDelta(await make()), dir)
    expect(said.text).toMatch(
      /^Runs 9\.00\.2 \(VER 20\)\. With the full package: the difference could not be applied \(./,
    )
    expect(said.fetched).toEqual([true, true])
    expect(await contentOf(dir)).toEqual(is_new)
    expect((await readdir(dir)).toSorted()).toEqual(['a', 'b', 'parts', 'state.json'])
  })
})
