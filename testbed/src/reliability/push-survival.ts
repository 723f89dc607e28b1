import { pushedAppLimits } from '@mdm/contract'
import { models } from '@mdm/agent/body/simulated-models.ts'
import { expect } from 'vitest'
import { disguisedApk, realSigner } from '../apks.ts'
import { addUidOf } from '../demo-os.ts'
import { releaseOs } from '../os-release.ts'
import { confirmPassword } from '../sign-in.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import type { Killable } from './killable.ts'
import { conditions, connected, countExecutions, endWell, model, reaches, states } from './push-kills.ts'
import type { Pushed } from './push-kills.ts'

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

async function installs(server: Killable, apps: readonly App[], devices: readonly { kid: string }[]): Promise<void> {
  const { pushTask } = server.customer
  for (let at = 0; at < apps.length; at += pushedAppLimits.apps) {
    const { kid } = await pushTask.insert({
      type: 'app_install',
      payload: { apps: apps.slice(at, at + pushedAppLimits.apps).map(({ app_kid }) => ({ app_kid })) },
      terminal_kids: devices.map((device) => device.kid),
    })
    const ended = await until('the apps to be there', async () => (await pushTask.get({ kid })).result, 300)
    expect(ended).toBe('all_succeeded')
  }
}

/** Every kind under every condition, with a kill in each state: all end well, and each was executed once. */
export async function survives(server: Killable, kill: () => Promise<void>): Promise<void> {
  const devices = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => connected(server, `KILL-${n}`, n)))
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
  const executions = countExecutions(devices)
  const kids: string[] = []
  for (const state of states) {
    const hit = reaches(devices, state)
    // So many locks and restarts of one hour ask for it, and each start of the server has a session of its own.
    await confirmPassword(server.customer)
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
  await endWell(server, kids)
  expect(executions.size).toBe(kids.length)
  expect([...executions].filter(([, times]) => times !== 1)).toEqual([])
  for (const { agent } of devices) await agent.stop()
}

/** One update under every condition for each state that is hit: each device writes the new version and starts it, once. */
export async function survivesUpdates(server: Killable, kill: () => Promise<void>): Promise<void> {
  const { uid } = models.find((each) => each.model === model)!
  const version = { os_version: '99.0.1', version_code: 99, ver: 999 }
  const uid_kid = await addUidOf(server.operator, uid, 'Kill')
  const os_version_kid = await releaseOs(server.operator, { uid_kid, uid, version })
  const hits = await Promise.all(
    states.map((state, n) =>
      Promise.all(conditions().map((_, m) => connected(server, `KILL-OS-${state}-${m}`, 10 * n + m))),
    ),
  )
  const kids: string[] = []
  for (const [n, state] of states.entries()) {
    // So many updates of one hour ask for it, and each start of the server has a session of its own.
    await confirmPassword(server.customer)
    const hit = reaches(hits[n]!, state)
    for (const [m, condition] of conditions().entries()) {
      const terminal_kids = [hits[n]![m]!.kid]
      const work = { type: 'os', payload: { os_version_kid }, terminal_kids, conditions: condition } as Pushed
      kids.push((await server.customer.pushTask.insert(work)).kid)
    }
    await hit
    await kill()
  }
  await endWell(server, kids)
  for (const { kid, body, agent } of hits.flat()) {
    const is_told = async () => (await server.customer.terminal.get({ kid })).os_version === version.os_version
    // A hello that was lost with a broker is asked for once a minute.
    await until(`${agent.sn} to say what it runs`, is_told, 90)
    expect(body.performed.filter((what) => what.endsWith(version.os_version))).toEqual(
      ['write', 'start'].map((what) => `${what} ${version.os_version}`),
    )
    await agent.stop()
  }
}
