import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { DownTask, TaskWork } from '@mdm/device-link'
import type { Down, Up } from '@mdm/device-link'
import { startAgent } from './agent.ts'
import { simulatedBody } from './body/simulated.ts'
import type { SimulatedBody } from './body/simulated.ts'
import { memoryStore } from './store.ts'
import { jumpingClock } from './testing/clock.ts'
import type { JumpingClock } from './testing/clock.ts'
import { plainDevice } from './testing/plain-device.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'

const page = readFileSync(
  join(dirname(fileURLToPath(import.meta.url)), '../../../docs/device-link/reference.md'),
  'utf8',
)
const section = /^## Exchanges\n([\s\S]*?)^## /m.exec(page)?.[1] ?? ''

/** What is sent and said of each exchange on the page. */
const exchanges = section
  .split(/^### /m)
  .slice(1)
  .map((part) => {
    const blocks = [...part.matchAll(/^```json (.*)\n([\s\S]*?)^```$/gm)]
    const of = (name: string) =>
      blocks.filter(([, title]) => title === name).map(([, , text = '']) => JSON.parse(text) as unknown)
    return {
      title: part.slice(0, part.indexOf('\n')),
      task: of('down/task')[0] as Down['task'],
      reports: of('up/task') as Up['task'][],
    }
  })

type Play = {
  before?: (body: SimulatedBody) => void
  after?: Record<number, (body: SimulatedBody, clock: JumpingClock) => void>
}
/** What happens to the device after so many of its reports. */
const plays: Record<string, Play> = {
  'Download over Wi-Fi': {
    before: (body) => void (body.connected_by = 'mobile'),
    after: {
      2(body, clock) {
        body.connected_by = 'wifi'
        clock.jump(10_000)
      },
    },
  },
  'Download that is put off': {
    before(body) {
      const said = ['later', 'yes'] as const
      let asked = 0
      body.ask = async () => said[asked++]!
    },
    after: { 3: (_, clock) => clock.jump(600_000) },
  },
  Window: { after: { 2: (_, clock) => clock.jump(7 * 3_600_000) } },
  'OS update': {
    before(body) {
      const { state } = body
      body.state = async () => ({ ...(await state()), battery: { level: 12, charging: 'discharging' } })
    },
    after: {
      5(body, clock) {
        body.state = async () => ({ battery: { level: 12, charging: 'charging' } })
        clock.jump(10_000)
      },
    },
  },
  'Prompt that is refused': { before: (body) => void (body.ask = async () => 'no') },
  'Forced, with a warning': { after: { 2: (_, clock) => clock.jump(60_000) } },
}

const urlsOf = ({ type, payload }: Down['task']): string[] =>
  type === 'file'
    ? payload.files.map(({ url }) => url)
    : type === 'config_file'
      ? [payload.file.url]
      : type === 'app_install'
        ? payload.apps.map(({ file }) => file.url)
        : type === 'os'
          ? payload.urls
          : []

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  for (const { task } of exchanges)
    for (const url of urlsOf(task)) server.addFile(url.slice('/files/'.length), Buffer.from('hello'))
  server.settings.os_keys = [/"keys": \["([^"]+)"\]/.exec(section)![1]!]
})
afterEach(() => expect(server.faults.splice(0)).toEqual([]))
afterAll(() => server.close())

const reportsOf = (kid: string) => server.of('task', kid)

test('each kind and each condition has an exchange', () => {
  expect(Object.keys(plays).filter((title) => !exchanges.some((one) => one.title === title))).toEqual([])
  const shown = new Set(exchanges.flatMap(({ task }) => [task.type, ...Object.keys(task)]))
  const kinds = TaskWork.options.map(({ shape }) => shape.type.value)
  expect(kinds.filter((name) => !shown.has(name))).toEqual([])
  const conditions = Object.keys(DownTask.def.left.shape).filter((name) => !/^(task_kid|attempt|version)$/.test(name))
  expect(conditions.filter((name) => !shown.has(name))).toEqual([])
})

describe.each(exchanges)('$title', ({ title, task, reports }) => {
  test('a device that knows the page alone acts it out', async () => {
    const sn = `PLAIN-${title.replaceAll(/\W/g, '').toUpperCase()}`
    const post = async (path: string, body: object) => {
      const response = await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
      return (await response.json()) as { registration_code: string; kid: string; secret: string; mqtt: string[] }
    }
    const claim = randomBytes(32).toString('hex')
    const claim_hash = createHash('sha256').update(claim).digest('hex')
    const about = { model: 'plain', os_name: 'None', os_version: '1', service_version: '1', protocol_version: 1 }
    const { registration_code } = await post('/device/announce', { sn, ...about, claim_hash })
    server.register(sn, registration_code)
    const { kid, secret, mqtt } = await post('/device/enrol', { sn, claim })
    const device = await plainDevice(mqtt[0]!, { kid, secret })
    await server.send(kid, 'task', task)
    expect(await device.hear()).toEqual({ name: 'task', payload: task })
    for (const report of reports) await device.say('task', report)
    expect(reportsOf(kid)).toEqual(reports)
    device.end()
  })

  test('the reference agent says it word by word', async () => {
    // Eight o'clock, UTC: by the clock on the wall of the page's device it is three in the afternoon.
    const clock = jumpingClock(new Date('2026-03-01T08:00:00.500Z'))
    const body = simulatedBody({
      sn: `REF-${task.task_kid.slice(9, 13).toUpperCase()}`,
      seed: 4,
      clock,
      down_ms: 20,
      off_ms: 20,
      zone: 'Asia/Ho_Chi_Minh',
    })
    const play = plays[title] ?? {}
    play.before?.(body)
    const agent = startAgent({
      server: server.url,
      body,
      store: memoryStore(),
      clock,
      reconnect: { base_ms: 5, cap_ms: 20 },
    })
    await server.admit(agent)
    await agent.reached('online')
    const kid = agent.kid!
    await server.send(kid, 'task', task)
    const said = (): Up['task'][] => [...new Map(reportsOf(kid).map((one) => [one.expected_version, one])).values()]
    for (const [at] of reports.entries()) {
      await vi.waitFor(() => expect(said().length).toBeGreaterThan(at), { interval: 10 })
      play.after?.[at + 1]?.(body, clock)
    }
    // The clock has moved by what the test took, and the name of an upload is the server's.
    const plain = (report: Up['task']) =>
      JSON.parse(
        JSON.stringify(report)
          .replace(/("until":"[^"]*):\d\d\.\d+Z/, '$1:00.000Z')
          .replace(/"object":"[^"]*"/, '"object":"of the server"'),
      ) as unknown
    expect(said().map(plain)).toEqual(reports.map(plain))
    if (task.after_install === 'restart') {
      await vi.waitFor(() => expect(server.of('hello', kid)).toHaveLength(2))
      expect(body.performed).toContain('restart')
    }
    agent.kill()
  })
})
