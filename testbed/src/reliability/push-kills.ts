import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import type { SimulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { expect } from 'vitest'
import type { Caller } from '../caller.ts'
import { registerByCode } from '../enrol.ts'
import { until } from '../until.ts'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'

export type Pushed = Parameters<Caller['pushTask']['insert']>[0]
/** What is pushed runs on it. */
export const model = 'm105'

export const states = [
  'receipt',
  'wait_download',
  'downloading',
  'downloaded',
  'wait_execute',
  'executing',
  'completed',
] as const
export const conditions = (): Pushed['conditions'][] => [
  {},
  { network: 'wifi' },
  { install_prompt: true },
  { download_prompt: true },
  { start_at: new Date(Date.now() + 1_500).toISOString() },
]

export type Device = { kid: string; agent: Agent; body: SimulatedBody }
export async function connected(server: Killable, sn: string, seed: number): Promise<Device> {
  while ((await simulatedBody({ sn, seed }).identity()).model !== model) seed += 100
  const body = simulatedBody({ sn, seed, faults: { slow_ms: 60, trial_ms: 500 }, down_ms: 300, off_ms: 300 })
  body.connected_by = 'wifi'
  const agent = startAgent({ server: server.url, body, store: memoryStore(), reconnect: { base_ms: 50, cap_ms: 500 } })
  const kid = await registerByCode(server.customer, agent)
  return { kid, agent, body }
}

export const reaches = (devices: readonly Device[], state: (typeof states)[number]): Promise<void> =>
  new Promise((resolve) => {
    for (const { agent } of devices)
      agent.on((event) => void (event.type === 'report' && event.report.state === state && resolve()))
  })

/** How often each attempt was executed: task, device, attempt. */
export function countExecutions(devices: readonly Device[]): Map<string, number> {
  const executions = new Map<string, number>()
  for (const { agent, kid } of devices)
    agent.on((event) => {
      if (event.type !== 'report' || event.report.state !== 'executing') return
      const key = `${event.report.task_kid} ${kid} ${event.report.attempt}`
      executions.set(key, (executions.get(key) ?? 0) + 1)
    })
  return executions
}

/** Waits for pushes to one device each; each of them has to end well. */
export async function endWell({ customer }: Killable, kids: readonly string[]): Promise<void> {
  const results = await until(
    'every push to end',
    async () => {
      const found = await Promise.all(kids.map((kid) => customer.pushTask.get({ kid })))
      return found.every(({ result }) => result !== null) && found
    },
    240,
  )
  const bad = results.filter(({ result }) => result !== 'all_succeeded')
  const why = bad.map(async ({ kid, type }) => {
    const [row] = (await customer.pushTask.paging_terminal({ push_task_kid: kid })).items
    return [type, row?.sn, row?.state, row?.code]
  })
  expect(await Promise.all(why)).toEqual([])
}

/** A server whose broker is a Mosquitto of its own; `kill` ends that and starts it again. */
export const behindMosquitto = (run: (server: Killable, kill: () => Promise<void>) => Promise<void>) =>
  withMosquitto(async (broker_url, kill) => {
    await using server = await killableServer({ broker_url })
    await run(server, kill)
  })

export const has_mosquitto = spawnSync('mosquitto', ['-h']).error === undefined
export async function withMosquitto(run: (broker_url: string, kill: () => Promise<void>) => Promise<void>) {
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
    await run(broker_url, async () => {
      await end()
      start()
    })
  } finally {
    await end()
    await rm(folder, { recursive: true, force: true })
  }
}
