import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { qrToken } from '@mdm/agent/cli.ts'
import { linuxBody } from '@mdm/agent/body/linux.ts'
import { systemRoots } from '@mdm/agent/body/linux-read.ts'
import { fileStore } from '@mdm/agent/store.ts'
import { directWork } from '@mdm/agent/system/direct.ts'
import { linuxOsTool } from '@mdm/agent/system/linux-os-tool.ts'
import { cpioOf } from '@mdm/server/testing/os-images.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { releaseOs } from './os-release.ts'
import { confirmPasswords } from './sweeps/stage.ts'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const has_tools =
  spawnSync('swupdate', ['--version']).status === 0 &&
  spawnSync('openssl', ['version']).status === 0 &&
  process.getuid?.() === 0

let w: World
let folder: string
let uid_kid: string
let agent: Agent
let kid: string
let boot = 1
const at = (name: string) => join(folder, name)
const call = () => w.customers[0]!

const releaseText = (version: number) =>
  `NAME=Till\nVERSION_ID="9.0.${version}"\nMDM_UID=TILL-1\nMDM_VERSION_CODE=${version}\nMDM_VER=${version}\n`

/** A machine whose system is one file; that it started again is told by the number of its boot. */
async function start(qrcode?: string): Promise<Agent> {
  writeFileSync(at('proc/sys/kernel/random/boot_id'), `boot-${boot}\n`)
  const system = directWork({ data: at('data'), swupdate_cert: at('cert.pem'), swupdate_hardware: 'till:1.0' })
  const slots = await linuxOsTool(at('data'), system, {
    roots: { ...systemRoots, proc: at('proc') },
    release: at('os-release'),
  })
  const body = linuxBody({ data: at('data'), sn: 'SWU-1', slots, system, commands: { restart: ['touch', at('down')] } })
  const boot_id = `boot-${boot}`
  body.boot = async () => ({ boot_id, boot_at: new Date() })
  return startAgent({
    server: w.url,
    body,
    store: fileStore(at('data')),
    reconnect: { base_ms: 50, cap_ms: 500 },
    ...(qrcode !== undefined && { qrcode }),
  })
}

beforeAll(async () => {
  if (!has_tools) return
  w = await world({ agents: 0 })
  folder = mkdtempSync(join(tmpdir(), 'mdm-swu-'))
  for (const each of ['proc/sys/kernel/random', 'data', 'other']) mkdirSync(at(each), { recursive: true })
  writeFileSync(at('os-release'), releaseText(1))
  for (const name of ['', 'other/']) {
    const files = ['-keyout', at(`${name}key.pem`), '-out', at(`${name}cert.pem`)]
    const usage = ['-addext', 'extendedKeyUsage=emailProtection', '-addext', 'keyUsage=digitalSignature']
    const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=Example maker']
    execFileSync('openssl', ['req', ...kind, ...files, ...usage], { stdio: 'pipe' })
  }
  uid_kid = await addUid(w.server.deps, 'TILL-1')
  const { qrcode_kid, content } = await call().terminal.qrcode_registered_cache({ terminal_group_kid: 'NO_GROUP' })
  agent = await start(qrToken(content))
  kid = await until('the device', async () => (await call().terminal.get_scan_result({ qrcode_kid })).terminal_kid)
  await until('the version of the device', async () => (await call().terminal.get({ kid })).os_version === '9.0.1')
})
afterAll(async () => {
  if (!has_tools) return
  await agent.stop()
  await w[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** An image that its maker signed, which puts a text where it says. */
function image(version: number, { path = at('os-release'), signer = '' } = {}): Buffer {
  const text = releaseText(version)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const description = `software = { version = "9.0.${version}"; hardware-compatibility: [ "1.0" ];
    files: ( { filename = "os-release"; path = "${path}"; sha256 = "${sha256}"; } ); };`
  writeFileSync(at('sw-description'), description)
  const by = ['-signer', at(`${signer}cert.pem`), '-inkey', at(`${signer}key.pem`)]
  const form = ['-outform', 'DER', '-nosmimecap', '-binary']
  execFileSync('openssl', ['cms', '-sign', '-in', at('sw-description'), '-out', at('signature'), ...by, ...form], {
    stdio: 'pipe',
  })
  return cpioOf(
    [
      ['sw-description', description],
      ['sw-description.sig', readFileSync(at('signature'))],
      ['os-release', text],
    ],
    true,
  )
}

async function push(version: number, bytes: Buffer): Promise<string> {
  const build = { os_version: `9.0.${version}`, version_code: version, ver: version }
  const name = `till-${version}.swu`
  const os_version_kid = await releaseOs(w.operator, {
    uid_kid,
    uid: 'TILL-1',
    version: build,
    file: { name, bytes },
  })
  await confirmPasswords(w)
  const task = { type: 'os' as const, payload: { os_version_kid }, terminal_kids: [kid] }
  return (await call().pushTask.insert(task)).kid
}
const rowOf = async (push_task_kid: string) => (await call().pushTask.paging_terminal({ push_task_kid })).items[0]!
async function ended(push_task_kid: string) {
  await until('the push to end', async () => (await call().pushTask.get({ kid: push_task_kid })).result !== null)
  return rowOf(push_task_kid)
}
/** What a restart is: the agent is gone, and another boot follows. */
async function restarted() {
  await until('the device to go down', () => existsSync(at('down')))
  rmSync(at('down'))
  agent.kill()
  boot += 1
  agent = await start()
}

describe.skipIf(!has_tools)('SWUpdate updates a system (where swupdate and openssl are, and the test is root)', () => {
  test('what it can apply is told, and a signed image becomes the version that runs', async () => {
    const [row] = await w.server.deps.db.selectFrom('terminal').select('os_formats').where('kid', '=', kid).execute()
    expect(row!.os_formats).toEqual(['swu'])
    const task = await push(2, image(2))
    await restarted()
    expect(readFileSync(at('os-release'), 'utf8')).toBe(releaseText(2))
    expect(await ended(task)).toMatchObject({ state: 'completed', message: 'Runs 9.0.2 (VER 2)' })
    expect(await call().terminal.get({ kid })).toMatchObject({ os_version: '9.0.2', ver: 2 })
  })

  test('when another version boots than the one that was written, the task says so', async () => {
    const task = await push(3, image(3, { path: at('elsewhere') }))
    await restarted()
    expect(await ended(task)).toMatchObject({ state: 'failed', code: 'rolled_back' })
    expect((await rowOf(task)).message).toContain('the version before')
  })

  test('an image of another signer is refused by SWUpdate, in its words, and nothing restarts', async () => {
    const task = await push(4, image(4, { signer: 'other/' }))
    const row = await ended(task)
    expect(row).toMatchObject({ state: 'failed', code: 'os_failed', message: expect.stringContaining('swupdate:') })
    expect([readFileSync(at('os-release'), 'utf8'), existsSync(at('down'))]).toEqual([releaseText(2), false])
  })
})
