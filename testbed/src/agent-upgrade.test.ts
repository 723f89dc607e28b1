import { execFileSync, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { qrToken } from '@mdm/agent/cli.ts'
import { directWork } from '@mdm/agent/system/direct.ts'
import { openHelper } from '@mdm/agent/system/helper.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleAgent } from '../../apps/agent/bundle.mjs'
import { packDebian } from '../../apps/agent/debian.mjs'
import { zip } from './apks.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const can_install = spawnSync('dpkg-deb', ['--version']).status === 0 && process.getuid?.() === 0

type Tried = { state: string; pid?: number }

let w: World
let folder: string
let root: string
let helper: Server
let kid: string
let bundle: string
let supervisor: ReturnType<typeof supervise>
const call = () => w.customers[0]!

/** Stands for systemd: starts again whatever ends, as the unit of the agent says. */
function supervise(command: string[], env: NodeJS.ProcessEnv) {
  let said = ''
  let child: ChildProcess
  let is_over = false
  let starts = 0
  const start = () => {
    starts += 1
    child = spawn(command[0]!, command.slice(1), { env, cwd: folder })
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += String(chunk)))
    child.on('exit', () => void (is_over || setTimeout(start, 20)))
  }
  start()
  return {
    said: () => said,
    starts: () => starts,
    kill: () => child.kill('SIGKILL'),
    stop() {
      is_over = true
      child.kill('SIGKILL')
    },
  }
}

const settings = (more: object) =>
  writeFileSync(
    join(folder, 'agent.json'),
    JSON.stringify({
      server: w.url,
      sn: 'UPGRADE-1',
      data: join(folder, 'data'),
      helper: join(folder, 'helper'),
      ...more,
    }),
  )
const dpkgOptions = () => [
  `--root=${root}`,
  '--force-script-chrootless',
  '--force-depends',
  '--force-not-root',
  `--log=${folder}/log`,
]

beforeAll(async () => {
  if (!can_install) return
  w = await world({ agents: 0 })
  folder = mkdtempSync(join(tmpdir(), 'mdm-upgrade-'))
  root = join(folder, 'root')
  for (const each of ['var/lib/dpkg/info', 'var/lib/dpkg/updates']) mkdirSync(join(root, each), { recursive: true })
  for (const each of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', each), '')
  mkdirSync(join(folder, 'data'))
  const first = await bundleAgent(join(folder, '1.0.0'), '1.0.0')
  bundle = await bundleAgent(join(folder, '1.1.0'), '1.1.0')
  const out = join(folder, 'out')
  execFileSync('dpkg', [...dpkgOptions(), '-i', packDebian({ bundle: first, out, has_node: false, as: '1.0.0' })], {
    stdio: 'pipe',
  })
  // Its own dpkg, of a root of its own, is asked by the helper.
  const debian = { state: join(folder, 'state'), dpkg: dpkgOptions() }
  helper = await openHelper(directWork({ data: join(folder, 'data') }, { debian }), join(folder, 'helper'))
  const { qrcode_kid, content } = await call().terminal.qrcode_registered_cache({ terminal_group_kid: 'NO_GROUP' })
  settings({ qrcode: qrToken(content), 'trial-seconds': 30 })
  const path = `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`
  const command = [join(root, 'usr/bin/mdm-agent'), 'agent', '--settings', join(folder, 'agent.json')]
  supervisor = supervise(command, { PATH: path, MDM_AGENT_SLOTS: join(folder, 'data/agent') })
  kid = await until(
    'the device',
    async () => (await call().terminal.get_scan_result({ qrcode_kid })).terminal_kid ?? undefined,
  )
  await online('1.0.0')
})
afterAll(async () => {
  if (!can_install) return
  supervisor.stop()
  await new Promise((resolve) => helper.close(resolve))
  await w[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const online = (version: string) =>
  until(`the agent ${version} online`, async () => {
    const { is_online, service_version } = await call().terminal.get({ kid })
    return is_online && service_version === version
  })

let app_kid: string | undefined
/** As the provider does: the first version makes the app, which has one more with each. */
async function push(name: string, version: string, bytes: Buffer) {
  const said = {
    upload_kid: await uploadFile(call(), name, bytes),
    version_code: Number(version.split('.').reduce((sum, part) => `${sum}${part.padStart(2, '0')}`)),
  }
  if (app_kid === undefined) app_kid = (await call().appCenter.insert({ ...said, name: 'Agent', is_listed: true })).kid
  else await call().appCenter.insert_version({ ...said, app_kid })
  const payload = { apps: [{ app_kid }] }
  return (await call().pushTask.insert({ type: 'app_install', payload, terminal_kids: [kid] })).kid
}
async function ended(push_task_kid: string) {
  await until('the push to end', async () => (await call().pushTask.get({ kid: push_task_kid })).result !== null, 60)
  return (await call().pushTask.paging_terminal({ push_task_kid })).items[0]!
}
const deb = (script: string, as: string) =>
  readFileSync(packDebian({ bundle: script, out: join(folder, 'out'), has_node: false, as }))

const inSystem = () =>
  execFileSync('dpkg-query', [`--root=${root}`, '-W', '-f=${Version}', 'mdm-agent'], { encoding: 'utf8' })

describe.skipIf(!can_install)('the agent upgrades itself (where dpkg is, and the test is root)', () => {
  test('a version that is pushed is tried, reports, and is then installed in the system', async () => {
    const row = await ended(await push('agent.deb', '1.1.0', deb(bundle, '1.1.0')))
    expect(row).toMatchObject({ state: 'completed', message: expect.stringContaining('Runs 1.1.0') })
    await online('1.1.0')
    expect(inSystem()).toBe('1.1.0')
    // The one that is installed is what starts from now on.
    supervisor.kill()
    await until('a start', () => supervisor.said().split('UPGRADE-1 online').length > 4)
    expect(existsSync(join(folder, 'data/agent/current'))).toBe(false)
  })

  test('a version that ends at once is left, and the task says why', async () => {
    const broken = join(folder, 'ends.mjs')
    writeFileSync(broken, 'process.exit(3)')
    const row = await ended(await push('ends.deb', '1.2.0', deb(broken, '1.2.0')))
    expect(row).toMatchObject({ state: 'failed', code: 'rolled_back' })
    expect(row.message).toContain('exit code 3')
    await online('1.1.0')
    expect(inSystem()).toBe('1.1.0')
  })

  test('a version that stands still, or cannot connect, is left when its time is over', async () => {
    settings({ 'trial-seconds': 4 })
    supervisor.kill()
    const broken = join(folder, 'broken.mjs')
    const unable = `import { Socket as Unable } from 'node:net'
Unable.prototype.connect = function () { setImmediate(() => this.destroy(new Error('no way'))); return this }`
    const whole = readFileSync(bundle, 'utf8').replace('\n', `\n${unable}\n`)
    const scripts = { '1.3.0': 'for (;;);', '1.4.0': whole }
    for (const [version, script] of Object.entries(scripts)) {
      writeFileSync(broken, script)
      const row = await ended(await push(`${version}.deb`, version, deb(broken, version)))
      expect([version, row]).toMatchObject([version, { state: 'failed', code: 'rolled_back' }])
      expect(row.message).toContain('within 4 s')
      await online('1.1.0')
    }
  })

  test('when the power is cut during the trial, the former agent starts and says so', async () => {
    const broken = join(folder, 'slow.mjs')
    writeFileSync(broken, 'setInterval(() => {}, 1_000)')
    settings({ 'trial-seconds': 600 })
    supervisor.kill()
    const task = await push('slow.deb', '1.5.0', deb(broken, '1.5.0'))
    const state = () => JSON.parse(readFileSync(join(folder, 'data/agent/state.json'), 'utf8')) as { trial: Tried }
    const { pid } = await until('the trial', () => {
      const { trial } = state()
      return trial.state === 'trying' && trial.pid !== undefined && trial
    })
    // The one that is tried outlives the other here, as it cannot when the power is cut.
    supervisor.kill()
    expect(await ended(task)).toMatchObject({ state: 'failed', code: 'rolled_back' })
    await online('1.1.0')
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false)
  })

  test('an archive works as well, and runs from its slot; a newer package takes its place', async () => {
    settings({ 'trial-seconds': 30 })
    supervisor.kill()
    const script = await bundleAgent(join(folder, '2.0.0'), '2.0.0')
    const manifest = { package: 'mdm-agent', title: 'Agent', version: '2.0.0', version_code: 20_000 }
    const archive = zip({
      entries: [
        { name: 'mdm-app.json', content: Buffer.from(JSON.stringify(manifest)) },
        { name: 'mdm-agent.mjs', content: readFileSync(script) },
      ],
    })
    const row = await ended(await push('agent.zip', '2.0.0', archive))
    expect(row).toMatchObject({ state: 'completed', message: expect.stringContaining('Runs 2.0.0') })
    await online('2.0.0')
    expect([inSystem(), readlinkSync(join(folder, 'data/agent/current'))]).toEqual(['1.1.0', expect.any(String)])
    const newer = packDebian({ bundle, out: join(folder, 'out'), has_node: false, as: '1.1.1' })
    execFileSync('dpkg', [...dpkgOptions(), '-i', newer], { stdio: 'pipe' })
    supervisor.kill()
    await online('1.1.0')
  })
})
