import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { describe, expect, test } from 'vitest'
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
const works = (file_kid: string): Pushed[] => [
  { type: 'message', payload: { title: 'Hi', text: 'there' } },
  { type: 'file', payload: { file_kids: [file_kid], path: '/data' } },
  { type: 'lock', payload: { password: '4711' } },
  { type: 'find', payload: { seconds: 2 } },
  { type: 'screenshot', payload: {} },
  { type: 'remote_log', payload: {} },
  { type: 'restart', payload: {} },
]
const conditions = (): Pushed['conditions'][] => [
  {},
  { network: 'wifi' },
  { install_prompt: true },
  { download_prompt: true },
  { start_at: new Date(Date.now() + 1_500).toISOString() },
]

async function connected(server: Killable, sn: string, seed: number) {
  const body = simulatedBody({ sn, seed, faults: { slow_ms: 60 }, down_ms: 300 })
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

/** Every kind under every condition, with a kill in each state: all end well, and each was executed once. */
async function survives(
  server: Killable,
  kill: () => Promise<void>,
  types: (type: string) => boolean = () => true,
): Promise<void> {
  const devices = await Promise.all([1, 2, 3, 4].map((n) => connected(server, `KILL-${n}`, n)))
  const agents = devices.map(({ agent }) => agent)
  const executions = new Map<string, number>()
  for (const { agent, kid } of devices)
    agent.on((event) => {
      if (event.type !== 'report' || event.report.state !== 'executing') return
      const key = `${event.report.task_kid} ${kid} ${event.report.attempt}`
      executions.set(key, (executions.get(key) ?? 0) + 1)
    })
  const name = 'kill.bin'
  const upload_kid = await uploadFile(server.customer, name, Buffer.alloc(3_000_000, 7))
  const file = await server.customer.fileCloud.insert({ upload_kid, name })
  const kids: string[] = []
  for (const state of states) {
    const hit = reaches(agents, state)
    // So many locks and restarts of one hour ask for it, and each start of the server has a session of its own.
    await server.customer.login.confirm_password({ password: createHash('sha1').update(demoPassword).digest('hex') })
    for (const work of works(file.kid).filter(({ type }) => types(type)))
      for (const condition of conditions()) {
        // What runs on a device that restarts is interrupted, and says so: restarts have a device of their own.
        const at = work.type === 'restart' ? 3 : kids.length % 3
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
        // A device that restarts says hello just then. A broker that keeps nothing acknowledges it before the server listens
        // again, and the device stays offline until it connects the next time: what such a broker loses is lost.
        const types = (type: string) => type !== 'restart'
        const killed = async () => {
          await end()
          start()
        }
        await survives(server, killed, types)
      } finally {
        await end()
        await rm(folder, { recursive: true, force: true })
      }
    },
    10 * minute,
  )
})
