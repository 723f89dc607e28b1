import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pushedAppLimits } from '@mdm/contract'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { describe, expect, test } from 'vitest'
import { disguisedApk, realSigner } from '../apks.ts'
import type { Caller } from '../caller.ts'
import { demoPassword } from '../seed.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import { freePort, killableServer } from './killable.ts'
import type { Killable } from './killable.ts'

type Pushed = Parameters<Caller['pushTask']['insert']>[0]
type State = 'receipt' | 'wait_download' | 'downloading' | 'downloaded' | 'wait_execute' | 'executing' | 'completed'

const minute = 60_000
const states: readonly State[] = [
  'receipt',
  'wait_download',
  'downloading',
  'downloaded',
  'wait_execute',
  'executing',
  'completed',
]
type Content = { file_kid: string; config_file_kid: string; added: App[]; removed: App[] }
type App = { app_kid: string; package: string }
/** Of apps each push has its own: what a device has is not pushed to it. */
const works = ({ file_kid, config_file_kid, added, removed }: Content): Pushed[] => [
  { type: 'message', payload: { title: 'Hi', text: 'there' } },
  { type: 'file', payload: { file_kids: [file_kid], path: '/data' } },
  { type: 'lock', payload: { password: '4711' } },
  { type: 'find', payload: { seconds: 2 } },
  { type: 'screenshot', payload: {} },
  { type: 'remote_log', payload: {} },
  { type: 'config_file', payload: { config_file_kid } },
  { type: 'app_install', payload: { apps: [{ app_kid: added.shift()!.app_kid }] } },
  { type: 'app_uninstall', payload: { packages: [removed.shift()!.package] } },
  { type: 'restart', payload: {} },
  { type: 'shutdown', payload: {} },
  { type: 'factory_reset', payload: {} },
]
/** What runs on a device that goes down is interrupted, and says so: these have devices of their own. */
const going_down: readonly string[] = ['restart', 'shutdown', 'factory_reset']
const conditions = (): Pushed['conditions'][] => [
  {},
  { network: 'wifi' },
  { install_prompt: true },
  { download_prompt: true },
  { start_at: new Date(Date.now() + 1_500).toISOString() },
]

/** So many apps of packages that begin with these five letters. */
async function addApps({ customer }: Killable, named: string, count: number): Promise<App[]> {
  const certificate = await realSigner()
  const made: App[] = []
  for (let n = 0; n < count; n += 1) {
    const letters = [n / 26, n % 26].map((digit) => String.fromCharCode(97 + Math.floor(digit)))
    const name = `io.appium.${named}x${letters.join('')}`
    const upload_kid = await uploadFile(customer, `${name}.apk`, await disguisedApk({ certificate, package: name }))
    const { kid } = await customer.appCenter.insert({ upload_kid, name, is_listed: true })
    made.push({ app_kid: kid, package: name })
  }
  return made
}

/** A model that the apps run on. */
const model = 'm105'
async function connected(server: Killable, sn: string, seed: number) {
  while ((await simulatedBody({ sn, seed }).identity()).model !== model) seed += 100
  const body = simulatedBody({ sn, seed, faults: { slow_ms: 60 }, down_ms: 300, off_ms: 300 })
  body.connected_by = 'wifi'
  const agent = startAgent({ server: server.url, body, store: memoryStore(), reconnect: { base_ms: 50, cap_ms: 500 } })
  const registration_code = await until(`the code of ${sn}`, () => agent.registration_code)
  const { kid } = await server.customer.terminal.manual_registered({ sn, registration_code })
  await agent.reached('online')
  return { kid, agent }
}
const reaches = (agents: readonly Agent[], state: State): Promise<void> =>
  new Promise((resolve) => {
    for (const agent of agents)
      agent.on((event) => void (event.type === 'report' && event.report.state === state && resolve()))
  })

async function installs(server: Killable, apps: readonly App[], devices: readonly { kid: string }[]): Promise<void> {
  const { pushTask } = server.customer
  for (let at = 0; at < apps.length; at += pushedAppLimits.apps) {
    const { kid } = await pushTask.insert({
      type: 'app_install',
      payload: { apps: apps.slice(at, at + pushedAppLimits.apps).map(({ app_kid }) => ({ app_kid })) },
      terminal_kids: devices.map((device) => device.kid),
    })
    const ended = await until('the apps to be there', async () => (await pushTask.get({ kid })).result, 120)
    expect(ended).toBe('all_succeeded')
  }
}

/** Every kind under every condition, with a kill in each state: all end well, and each was executed once. */
async function survives(server: Killable, kill: () => Promise<void>): Promise<void> {
  const devices = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => connected(server, `KILL-${n}`, n)))
  const agents = devices.map(({ agent }) => agent)
  const name = 'kill.bin'
  const upload_kid = await uploadFile(server.customer, name, Buffer.alloc(3_000_000, 7))
  const file = await server.customer.fileCloud.insert({ upload_kid, name })
  const config_file = await server.customer.configFile.insert({
    name: 'kill.xml',
    path: '/sdcard/config',
    content: Buffer.from('<settings/>').toString('base64'),
  })
  const apps_needed = states.length * conditions().length
  const added = await addApps(server, 'added', apps_needed)
  const removed = await addApps(server, 'going', apps_needed)
  const content: Content = { file_kid: file.kid, config_file_kid: config_file.kid, added, removed: [...removed] }
  await installs(server, removed, devices)
  const executions = new Map<string, number>()
  for (const { agent, kid } of devices)
    agent.on((event) => {
      if (event.type !== 'report' || event.report.state !== 'executing') return
      const key = `${event.report.task_kid} ${kid} ${event.report.attempt}`
      executions.set(key, (executions.get(key) ?? 0) + 1)
    })
  const kids: string[] = []
  for (const state of states) {
    const hit = reaches(agents, state)
    // So many locks and restarts of one hour ask for it, and each start of the server has a session of its own.
    await server.customer.login.confirm_password({ password: createHash('sha1').update(demoPassword).digest('hex') })
    for (const condition of conditions())
      for (const work of works(content)) {
        const at = going_down.includes(work.type) ? 3 + going_down.indexOf(work.type) : kids.length % 3
        const terminal_kids = [devices[at]!.kid]
        const made = await server.customer.pushTask.insert({ ...work, terminal_kids, conditions: condition } as Pushed)
        kids.push(made.kid)
      }
    await hit
    await kill()
  }
  const results = await until(
    'every push to end',
    async () => {
      const found = await Promise.all(kids.map((kid) => server.customer.pushTask.get({ kid })))
      return found.every(({ result }) => result !== null) && found
    },
    240,
  )
  const bad = results.filter(({ result }) => result !== 'all_succeeded')
  const why = bad.map(async ({ kid, type }) => {
    const [row] = (await server.customer.pushTask.paging_terminal({ push_task_kid: kid })).items
    return [type, row?.sn, row?.state, row?.code]
  })
  expect(await Promise.all(why)).toEqual([])
  expect(executions.size).toBe(kids.length)
  expect([...executions].filter(([, times]) => times !== 1)).toEqual([])
  for (const agent of agents) await agent.stop()
}

test(
  'R2: every kind under every condition ends once, whichever state the server is killed in',
  async () => {
    await using server = await killableServer()
    await survives(server, () => server.killAndRestart())
  },
  10 * minute,
)

const has_mosquitto = spawnSync('mosquitto', ['-h']).error === undefined
const title = has_mosquitto ? 'behind mosquitto' : 'behind mosquitto (skipped: the command mosquitto is not installed)'
describe.runIf(has_mosquitto)(title, () => {
  test(
    'R2: every kind under every condition ends once, whichever state the broker is killed in',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mdm-kill-broker-'))
      const port = await freePort()
      const broker_url = `mqtt://127.0.0.1:${port}`
      await writeFile(join(folder, 'conf'), `listener ${port} 127.0.0.1\nallow_anonymous true\n`)
      let broker: ChildProcess
      const start = () => (broker = spawn('mosquitto', ['-c', join(folder, 'conf')], { stdio: 'ignore' }))
      const end = async () => {
        const gone = once(broker, 'exit')
        broker.kill('SIGKILL')
        await gone
      }
      start()
      try {
        await using server = await killableServer({ broker_url })
        const killed = async () => {
          await end()
          start()
        }
        await survives(server, killed)
      } finally {
        await end()
        await rm(folder, { recursive: true, force: true })
      }
    },
    10 * minute,
  )
})
