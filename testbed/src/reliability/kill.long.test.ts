import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { startAgent } from '@mdm/agent/agent.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import { ownProgramArgs } from '@mdm/server/lib/own-program.ts'
import type { Contract, Out } from '@mdm/contract'
import mqtt from 'mqtt'
import { expect, test } from 'vitest'
import { registerByCode } from '../enrol.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import { killableServer } from './killable.ts'
import type { Killable } from './killable.ts'

const minutes = 60_000

async function enrolledAgent(server: Killable, sn: string) {
  const body = simulatedBody({ sn, seed: 7, faults: {} })
  const agent = startAgent({ server: server.url, body, store: memoryStore(), reconnect: { base_ms: 50, cap_ms: 500 } })
  const kid = await registerByCode(server.customer, agent)
  return { sn, kid, agent, body }
}

test(
  'R1: nothing that was acknowledged is lost when the server is killed during ingest',
  async () => {
    await using server = await killableServer()
    const { kid, secret } = await enrolByHand(server, 'R1-DEVICE')
    const acknowledged: number[] = []
    let is_over = false
    let n = 0
    const client = mqtt.connect(server.mqtt_url, {
      username: kid,
      password: secret,
      clientId: kid,
      clean: true,
      reconnectPeriod: 50,
      resubscribe: false,
    })
    client.on('error', () => {})
    await until('a connection', () => client.connected)
    const publishing = (async () => {
      while (!is_over) {
        const id = n++
        const at = new Date().toISOString()
        const payload = JSON.stringify({ seq: id, device_time: at, events: [{ type: 'numbered', at, detail: { id } }] })
        await new Promise<void>((resolve) =>
          client.publish(`mdm/v1/${kid}/up/event`, payload, { qos: 1 }, (error) => {
            if (!error) acknowledged.push(id)
            resolve()
          }),
        )
      }
    })()
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.length
      await until('traffic', () => acknowledged.length > before + 50)
      await server.killAndRestart()
    }
    const before = acknowledged.length
    await until('traffic after the last kill', () => acknowledged.length > before + 20)
    is_over = true
    await publishing
    await client.endAsync(true)

    const stored = new Set<number>()
    type Page = Out<Contract['terminal']['calls']['paging_event']>
    for (let after: string | undefined; ;) {
      const page: Page = await server.customer.terminal.paging_event({
        terminal_kid: kid,
        type: 'numbered',
        page_size: 200,
        after,
      })
      for (const row of page.items) stored.add(row.detail['id'] as number)
      if (page.next === null) break
      after = page.next
    }
    expect(acknowledged.length).toBeGreaterThan(150)
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  },
  3 * minutes,
)

test(
  'R2: no push is lost, stuck or run twice when the server is killed in the middle',
  async () => {
    await using server = await killableServer()
    const devices = await Promise.all([1, 2, 3, 4].map((i) => enrolledAgent(server, `R2-${i}`)))
    const executions = new Map<string, number>()
    for (const { agent } of devices)
      agent.on((event) => {
        if (event.type !== 'report' || event.report.state !== 'executing') return
        const key = `${event.report.task_kid} ${agent.kid} ${event.report.attempt}`
        executions.set(key, (executions.get(key) ?? 0) + 1)
      })
    const file = await server.customer.fileCloud.insert({
      upload_kid: await uploadFile(server.customer, 'r2.bin', Buffer.alloc(4_000_000, 7)),
      name: 'r2.bin',
    })
    const terminal_kids = devices.map((d) => d.kid)
    const tasks: string[] = []
    for (let round = 0; round < 3; round++) {
      const push = await server.customer.pushTask.insert({
        type: 'file',
        payload: { file_kids: [file.kid], path: '/data' },
        terminal_kids,
      })
      const message = await server.customer.pushTask.insert({
        type: 'message',
        payload: { title: 't', text: 't' },
        terminal_kids,
      })
      tasks.push(push.kid, message.kid)
      await server.killAndRestart()
    }
    for (const kid of tasks) {
      const task = await until(
        `task ${kid} to end`,
        async () => {
          const found = await server.customer.pushTask.get({ kid })
          return found.result === null ? undefined : found
        },
        180,
      )
      expect(task.result).toBe('all_succeeded')
    }
    expect(executions.size).toBe(tasks.length * devices.length)
    expect([...executions.values()].filter((times) => times !== 1)).toEqual([])
    for (const { agent } of devices) await agent.stop()
  },
  4 * minutes,
)

test(
  'a second server on the same embedded data is refused and harms nothing',
  async () => {
    await using server = await killableServer()
    const second = spawnSync(process.execPath, ownProgramArgs(import.meta.url, 'server-process'), {
      env: { ...process.env, MDM_DATA: server.data, MDM_HTTP_PORT: '0', MDM_MQTT_PORT: '0', MDM_LOG_LEVEL: 'error' },
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(second.status).not.toBe(0)
    expect(second.stderr).toMatch(/process \d+|pid \d+/i)
    expect((await server.customer.terminal.facets({})).total).toBe(0)
  },
  minutes,
)

async function enrolByHand(server: Killable, sn: string): Promise<{ kid: string; secret: string }> {
  const claim = randomBytes(32).toString('hex')
  const post = async (path: string, body: unknown) =>
    (await (
      await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as Record<string, string>
  const claim_hash = createHash('sha256').update(claim).digest('hex')
  const device = { model: 'm', os_name: 'o', os_version: '1', service_version: '1', protocol_version: 1 }
  const { registration_code } = await post('/device/announce', { sn, ...device, claim_hash })
  await server.customer.terminal.manual_registered({ sn, registration_code: registration_code! })
  const { kid, secret } = await post('/device/enrol', { sn, claim })
  return { kid: kid!, secret: secret! }
}
