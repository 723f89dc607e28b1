import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { AppToInstall } from '@mdm/device-link'
import { startAgent } from '../agent.ts'
import type { Agent } from '../agent.ts'
import { fileStore } from '../store.ts'
import { startTestServer } from '../testing/server.ts'
import type { TestServer } from '../testing/server.ts'
import { zip } from '../testing/zip.ts'
import type { ZipEntry } from '../testing/zip.ts'
import { linuxBody } from './linux.ts'
import { linuxInstaller } from './linux-install.ts'

let folder: string
let server: TestServer
const running: Agent[] = []
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mdm-apps-'))
  server = await startTestServer()
})
afterEach(() => {
  for (const agent of running.splice(0)) agent.kill()
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const name = 'com.acme.till'
const runs = (code: number) => ({ check: ['sh', '-c', `exit ${code}`] })
/** An app of one large file and a manifest. */
const packed = (version: string, more: object = {}, entries: ZipEntry[] = []) =>
  zip([
    { name: 'mdm-app.json', content: Buffer.from(JSON.stringify({ package: name, version, ...more })) },
    { name: 'bin/run', content: Buffer.from(`#!/bin/sh\necho ${version} > started\n`), mode: 0o100755 },
    { name: 'data/big.bin', content: Buffer.alloc(200_000, version) },
    ...entries,
  ])
const appOf = (bytes: Buffer, version: string, more: Partial<AppToInstall> = {}): AppToInstall => ({
  package: name,
  title: 'Till',
  version,
  version_code: Math.round(Number(version) * 10),
  kind: 'zip',
  file: {
    name: 'till.zip',
    size: bytes.length,
    md5: createHash('md5').update(bytes).digest('hex'),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    url: '/files/x',
  },
  ...more,
})
const fresh = () => join(folder, `d-${(count += 1)}`)
type Installer = ReturnType<typeof linuxInstaller>
async function put(
  installer: Installer,
  bytes: Buffer,
  version: string,
  more: Partial<AppToInstall> = {},
  signal = new AbortController().signal,
) {
  const app = appOf(bytes, version, more)
  const landing = await installer.land(app)
  try {
    if (landing.position === 0) await landing.write(bytes)
    await installer.install(app, landing, signal)
  } finally {
    await landing.close()
  }
}
const file = (data: string, path: string) => readFile(join(data, 'apps', name, 'current/files', path), 'utf8')
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  )

test('an app from a zip is installed, started, updated and removed, all below the folder of the agent', async () => {
  const data = fresh()
  const body = linuxBody({ data, sn: 'L-1' })
  const installer = linuxInstaller({ data, log: () => {} })
  await put(installer, packed('1.1', { start: ['bin/run'] }), '1.1')
  expect(await body.apps.installed(name)).toEqual({ version: '1.1', version_code: 11 })
  expect((await body.inventory()).packages).toContainEqual(expect.objectContaining({ name, version_code: 11 }))
  await body.apps.start(name, new AbortController().signal)
  await vi.waitFor(async () => expect(await file(data, 'started')).toBe('1.1\n'))
  for (const version of ['1.2', '1.3']) await put(installer, packed(version), version)
  expect(await file(data, 'data/big.bin')).toBe(Buffer.alloc(200_000, '1.3').toString())
  // The version before stays, older ones go; nothing is left of packages and of what was unpacked.
  expect(await readdir(join(data, 'apps', name, 'versions'))).toHaveLength(2)
  expect(await readdir(join(data, 'packages'))).toEqual([])
  await body.apps.uninstall(name)
  expect(await body.apps.installed(name)).toBeUndefined()
  expect(await codeOf(body.apps.uninstall('bash'))).toBe('not_supported')
})

test('a version that does not pass its own check is taken back: the one before is there, or none', async () => {
  const data = fresh()
  const installer = linuxInstaller({ data, log: () => {} })
  expect(await codeOf(put(installer, packed('1.1', runs(3)), '1.1'))).toBe('check_failed')
  expect(await installer.installed(name)).toBeUndefined()
  await put(installer, packed('1.2', runs(0)), '1.2')
  expect(await codeOf(put(installer, packed('1.3', runs(3)), '1.3'))).toBe('check_failed')
  expect(await installer.installed(name)).toMatchObject({ version: '1.2' })
  expect(await file(data, 'data/big.bin')).toContain('1.2')
})

test('a package that is not the announced app, or would leave its folder, is refused and leaves nothing', async () => {
  const data = fresh()
  const installer = linuxInstaller({ data, log: () => {} })
  const bad = async (entries: ZipEntry[], more: Partial<AppToInstall> = {}) =>
    codeOf(put(installer, packed('1.1', {}, entries), '1.1', more))
  expect(await bad([{ name: '../out', content: Buffer.from('x') }])).toBe('bad_package')
  expect(await bad([{ name: 'a/../../out', content: Buffer.from('x') }])).toBe('bad_package')
  expect(await bad([{ name: 'link', content: Buffer.from('/etc'), mode: 0o120777 }])).toBe('bad_package')
  expect(await bad([{ name: 'bin/run', content: Buffer.from('twice') }])).toBe('bad_package')
  expect(await bad([], { package: 'com.acme.other' })).toBe('bad_package')
  expect(await bad([], { package: '../etc' })).toBe('bad_task')
  expect(await codeOf(put(installer, Buffer.from('no zip'), '1.1'))).toBe('bad_package')
  expect(await codeOf(put(installer, zip([{ name: 'a', content: Buffer.from('a') }]), '1.1'))).toBe('bad_package')
  expect(await installer.installed(name)).toBeUndefined()
  expect((await readdir(join(data, 'apps'))).filter((each) => each !== '.staging')).toEqual([])
})

test('a Debian package is refused before the download where nobody may install it in the system', async () => {
  const installer = linuxInstaller({ data: fresh(), log: () => {} })
  expect(await codeOf(installer.assertFits(appOf(Buffer.alloc(0), '1', { kind: 'deb' })))).toBe('package_kind')
  expect(installer.package_kinds).toEqual(['zip'])
})

test('cut off at any moment, the old version or the new one is there as a whole, and doing it again ends it', async () => {
  const data = fresh()
  await put(linuxInstaller({ data, log: () => {} }), packed('1.1'), '1.1')
  const seen = new Set<string>()
  for (let turn = 0; turn < 30; turn += 1) {
    const installer = linuxInstaller({ data, log: () => {} })
    const before = (await installer.installed(name))!.version
    const version = (Number(before) + 0.1).toFixed(1)
    const cut = new AbortController()
    const work = put(installer, packed(version, runs(0)), version, {}, cut.signal).catch(() => undefined)
    setTimeout(() => cut.abort(new Error('cut')), turn)
    await work
    const next = linuxInstaller({ data, log: () => {} })
    await next.sweep()
    const there = await next.installed(name)
    if (there) expect(await file(data, 'data/big.bin')).toBe(Buffer.alloc(200_000, there.version).toString())
    seen.add(there?.version === version ? 'new' : 'old')
    await put(next, packed(version, runs(0)), version)
    expect((await next.installed(name))?.version).toBe(version)
    expect((await readdir(join(data, 'apps/.staging')).catch(() => [])).length).toBeLessThanOrEqual(1)
  }
  expect(seen).toContain('old')
})

test('an agent that is killed while it installs goes on when it is back, and tells the end', async () => {
  const data = fresh()
  const store = fileStore(data)
  const gate = join(folder, 'gate')
  const bytes = packed('3.0', { check: ['sh', '-c', `test -e ${gate} || sleep 30`] })
  const pushed = server.addFile('till.zip', bytes)
  const start = () => {
    const body = linuxBody({ data, sn: 'L-KILLED' })
    const agent = startAgent({ server: server.url, body, store, reconnect: { base_ms: 5, cap_ms: 50 } })
    running.push(agent)
    return { body, agent }
  }
  const { agent } = start()
  await server.admit(agent)
  await agent.reached('online')
  const { path: _, ...fetched } = pushed
  const payload = { apps: [{ ...appOf(bytes, '3.0'), file: fetched }] }
  const { task_kid } = await server.task(agent.kid!, { type: 'app_install', payload })
  await server.report(task_kid, 'executing')
  await vi.waitFor(async () => expect(await readdir(join(data, 'apps', name, 'versions'))).toHaveLength(1))
  agent.kill()
  await writeFile(gate, randomBytes(1))
  const again = start()
  expect(await server.report(task_kid, 'completed')).toMatchObject({
    result: { text: 'Till 3.0: installed', apps: [{ package: name, version: '3.0', version_code: 30 }] },
  })
  expect(await again.body.apps.installed(name)).toEqual({ version: '3.0', version_code: 30 })
})

test('bytes that changed after the download are never unpacked', async () => {
  const data = fresh()
  const body = linuxBody({ data, sn: 'L-CHANGED' })
  const agent = startAgent({ server: server.url, body, store: fileStore(data), reconnect: { base_ms: 5, cap_ms: 50 } })
  running.push(agent)
  await server.admit(agent)
  await agent.reached('online')
  const bytes = packed('4.0')
  const { path: _, ...fetched } = server.addFile('till.zip', bytes)
  const { land } = body.apps
  let landings = 0
  body.apps.land = async (app) => {
    const parts = join(data, 'parts')
    // Between the download and the installation.
    if (++landings === 2) for (const part of await readdir(parts)) await writeFile(join(parts, part), 'changed')
    return land(app)
  }
  const { task_kid } = await server.task(agent.kid!, {
    type: 'app_install',
    payload: { apps: [{ ...appOf(bytes, '4.0'), file: fetched }] },
  })
  expect(await server.report(task_kid, 'failed')).toMatchObject({ code: 'hash_mismatch' })
  expect(await body.apps.installed(name)).toBeUndefined()
})
