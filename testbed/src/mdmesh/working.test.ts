import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endResets } from '@mdm/server/gateways/shared/silent-resets.ts'
import type { MdmeshAgent } from './agent.ts'
import { gatewayWorld } from './gateway-world.ts'
import type { GatewayWorld } from './gateway-world.ts'

const minute = 60_000
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

describe('work of a device with the MDMesh agent', () => {
  let w: GatewayWorld
  let a: MdmeshAgent
  beforeAll(async () => void (w = await gatewayWorld()))
  afterAll(() => w.close())
  const types = (commands: { type: string }[]) =>
    commands.map(({ type }) => type).filter((type) => type !== 'apps.scan')
  let apps = 0
  /** Another app each time, as what a device has it is not sent. */
  const appPush = (more: object = {}) =>
    w.pushApp(a, { package: `com.example.app${(apps += 1)}`, version_code: 7, ...more })

  it('a message is done when it was posted, which the next check-in says', async () => {
    a = await w.joined()
    const task = await w.push(a, message)
    const [alert] = await w.later(a)
    expect(alert).toMatchObject({ type: 'device.alert', payload: { title: 'Hi', body: 'there' } })
    expect(alert!.commandId).toContain(task.kid)
    expect(await task.row()).toMatchObject({ state: 'executing' })
    expect(types(await w.later(a))).toEqual([])
    expect(await task.row()).toMatchObject({ state: 'completed' })
  })

  it('a result that was lost with the process is known by its event, and a message is never posted twice', async () => {
    const [told, lost] = [await w.push(a, message), await w.push(a, message)]
    await w.later(a)
    a.kill()
    await w.later(a)
    expect((await told.row()).state).toBe('completed')
    expect((await lost.row()).state).toBe('completed')
    const silent = await w.push(a, message)
    await w.later(a)
    a.kill({ loses_events: true })
    for (let i = 0; i < 6; i += 1) expect(types(await w.later(a))).toEqual([])
    expect(await silent.row()).toMatchObject({ state: 'executing' })
  })

  it('the same results twice, as an answer was lost, end nothing twice', async () => {
    const task = await w.push(a, message)
    await w.later(a)
    await a.checkIn({ loses_answer: true })
    await w.later(a)
    expect(await task.row()).toMatchObject({ state: 'completed', attempt: 1 })
    const ends = await w.deps.db
      .selectFrom('push_task_activity')
      .select('event')
      .where('push_task_kid', '=', task.kid)
      .execute()
    expect(ends.filter(({ event }) => event === 'finished')).toHaveLength(1)
  })

  it('a result that comes after the task has ended is noted on its timeline', async () => {
    const task = await w.push(a, message)
    await w.later(a)
    await w.deps.db
      .updateTable('push_task_terminal')
      .set({ state: 'failed', code: 'deadline', send_at: null })
      .where('push_task_kid', '=', task.kid)
      .execute()
    await w.later(a)
    expect(await task.row()).toMatchObject({ state: 'failed', code: 'deadline' })
    const notes = await w.deps.db
      .selectFrom('push_task_activity')
      .select(['event', 'code'])
      .where('push_task_kid', '=', task.kid)
      .execute()
    expect(notes).toContainEqual({ event: 'reported_after_end', code: 'completed' })
  })

  it('an app is installed without asking for the ability that agents up to 0.2.4 do not tell', async () => {
    const old = await w.joined({ profile: '0.2.1' })
    expect(old.is_owner_known).toBe(false)
    const task = await w.pushApp(old, { package: 'com.example.till', version_code: 7 })
    expect(types(await w.later(old))).toEqual(['app.install'])
    await w.later(old)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    expect(old.apps.get('com.example.till')).toMatchObject({ version_code: 7 })
  })

  it('an installation of which nothing is heard goes out again under another id after half an hour', async () => {
    const task = await appPush()
    const [first] = await a.checkIn({ loses_answer: true }).then(async () => {
      a.kill({ loses_events: true })
      return w.later(a, 40 * minute)
    })
    expect(first).toMatchObject({ type: 'app.install', commandId: expect.stringContaining(`${task.kid}.1.2.`) })
    await w.later(a)
    expect(await task.row()).toMatchObject({ state: 'completed', attempt: 1 })
  })

  it('says that it had done a command before: that is no result', async () => {
    const task = await w.push(a, message)
    const { commandId } = (await w.later(a))[0]!
    await w.later(a, minute)
    const second = await w.push(a, message)
    const next = (await w.later(a))[0]!
    expect(next.commandId).not.toBe(commandId)
    a.kill({ loses_events: true })
    const results = [{ commandId: next.commandId, status: 'done', detail: 'duplicate ignored', completedAt: '' }]
    await a.checkIn({ more: { results } })
    expect(await second.row()).toMatchObject({ state: 'executing' })
    expect(await task.row()).toMatchObject({ state: 'completed' })
  })

  it('a restart is done when it has booted, and failed when it has not', async () => {
    const task = await w.push(a, { type: 'restart', payload: {} })
    expect(types(await w.later(a))).toEqual(['device.reboot'])
    await w.later(a)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    a.refuses['device.reboot'] = { status: 'failed', detail: 'a call is on' }
    const refused = await w.push(a, { type: 'restart', payload: {} })
    await w.later(a)
    await w.later(a)
    expect(await refused.row()).toMatchObject({ state: 'failed', message: 'a call is on' })
    a.refuses['device.reboot'] = { status: 'done' }
    const ignored = await w.push(a, { type: 'restart', payload: {} })
    await w.later(a)
    await w.later(a)
    expect(await ignored.row()).toMatchObject({ state: 'executing' })
    await w.later(a, 15 * minute)
    expect(await ignored.row()).toMatchObject({ state: 'failed', code: 'not_restarted' })
    a.refuses = {}
  })

  it('is not taken to have started again where its clock is set, or its own moment of the start jitters', async () => {
    const b = await w.joined()
    const boots = () =>
      w.deps.db
        .selectFrom('terminal_event')
        .select('type')
        .where('terminal_kid', '=', b.id!)
        .where('type', '=', 'boot')
        .execute()
    const before = (await boots()).length
    const task = await w.push(b, { type: 'restart', payload: {} })
    b.refuses['device.reboot'] = { status: 'done' }
    await w.later(b)
    for (const shift of [-90_000, 3_600_000, -86_400_000]) {
      const { telemetry } = b.body() as { telemetry: { dynamic: { uptimeMs: number; lastBootAt: number } } }
      const { dynamic } = telemetry
      await w.deps.clock.advance(1_000)
      const uptimeMs = dynamic.uptimeMs + 1_000
      await b.checkIn({
        more: {
          telemetry: { ...telemetry, dynamic: { ...dynamic, uptimeMs, lastBootAt: dynamic.lastBootAt + shift } },
        },
      })
    }
    expect(await task.row()).toMatchObject({ state: 'executing' })
    expect(await boots()).toHaveLength(before)
  })

  it('a reset is done when it is silent or comes back as new, and failed when it goes on as it was', async () => {
    const b = await w.joined()
    const back = await w.push(b, { type: 'factory_reset', payload: {} })
    expect(types(await w.later(b))).toEqual(['device.wipe'])
    await w.deps.clock.advance(5 * minute, minute / 2)
    await b.enrol()
    await b.checkIn()
    expect(await back.row()).toMatchObject({ state: 'completed' })

    const silent = await w.push(b, { type: 'factory_reset', payload: {} })
    await w.later(b, 15 * minute)
    await endResets(w.deps)
    expect(await silent.row()).toMatchObject({ state: 'executing' })
    await w.deps.clock.advance(21 * minute, minute / 2)
    await endResets(w.deps)
    expect(await silent.row()).toMatchObject({ state: 'completed' })

    const c = await w.joined()
    c.refuses['device.wipe'] = { status: 'done' }
    const ignored = await w.push(c, { type: 'factory_reset', payload: {} })
    await w.later(c)
    await w.later(c)
    expect(await ignored.row()).toMatchObject({ state: 'failed', code: 'not_reset' })
  })

  it('the agent updates itself, which the version that it says then tells', async () => {
    const old = await w.joined({ profile: '0.2.5' })
    const task = await w.pushApp(old, { package: 'com.mdmesh.agent', version_code: 302, version: '0.3.2' })
    await w.later(old)
    expect(old.version).toBe('0.3.2')
    await w.later(old, minute)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    expect(await w.terminal(old.id)).toMatchObject({ service_version: '0.3.2' })
  })

  it('a lower version takes the place of a higher one only where the push may do that', async () => {
    const refused = await appPush()
    a.apps.set(`com.example.app${apps}`, { version_code: 9, version: '9' })
    await w.later(a)
    await w.later(a)
    expect(await refused.row()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('downgrade blocked'),
    })
    const task = await appPush({ may_downgrade: true })
    a.apps.set(`com.example.app${apps}`, { version_code: 9, version: '9' })
    await w.later(a)
    expect(types(await w.later(a))).toEqual(['app.uninstall', 'app.install'])
    await w.later(a)
    expect(await task.row()).toMatchObject({ state: 'completed' })
    expect(a.apps.get(`com.example.app${apps}`)).toMatchObject({ version_code: 7 })
  })

  it('waits for Wi-Fi and for its battery before it is told', async () => {
    a.network = 'cellular'
    const task = await appPush({ conditions: { network: 'wifi' } })
    expect(types(await w.later(a))).toEqual([])
    expect(await task.row()).toMatchObject({ state: 'wait_download', waits: { for: 'network' } })
    a.network = 'wifi'
    expect(types(await w.later(a))).toEqual(['app.install'])
    await w.later(a)
    expect(await task.row()).toMatchObject({ state: 'completed' })
  })

  it('a lock sets its password first, which is kept nowhere; a find is over when it has rung', async () => {
    const task = await w.push(a, { type: 'lock', payload: { password: '246810' } })
    expect(types(await w.later(a))).toEqual(['device.passcodeReset', 'device.lock'])
    const { kept } = await w.deps.db
      .selectFrom('terminal_agent')
      .select('kept')
      .where('terminal_kid', '=', a.id!)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(kept)).not.toContain('246810')
    await w.later(a)
    expect([(await task.row()).state, a.passcode]).toEqual(['completed', '246810'])
    const find = await w.push(a, { type: 'find', payload: { seconds: 120 } })
    await w.later(a)
    await w.later(a, minute)
    expect(await find.row()).toMatchObject({ state: 'executing' })
    await w.later(a, 2 * minute)
    expect(await find.row()).toMatchObject({ state: 'completed' })
  })

  it('an answer that nobody could parse would be said for ever: hostile and missing fields are left out', async () => {
    const b = await w.joined()
    for (const more of [
      { telemetry: null, capabilities: 7, results: 'x', events: [null, { type: 3 }] },
      { telemetry: { dynamic: { batteryPct: 1e9, uptimeMs: -5, lastBootAt: 'x', location: { lat: 900 } } } },
      {
        results: [
          { commandId: '\0'.repeat(20), status: 3 },
          { commandId: 'x.1.1.0.1', status: 'done' },
        ],
        hardwareId: 'a\0b',
      },
      {
        state: { agentVersion: '\ud800'.repeat(2) },
        events: Array.from({ length: 2_000 }, () => ({ type: 'kioskExit', ts: 1 })),
      },
      {
        telemetry: {
          identity: { serial: '../../etc', imei: [['x']] },
          hardware: { abis: Array(500).fill('x'.repeat(500)) },
        },
      },
    ]) {
      await w.deps.clock.advance(minute)
      await b.checkIn({ more })
    }
    expect(w.http.internal_errors).toEqual([])
    await w.later(b)
    expect(await w.state(b.id)).toMatchObject({ is_online: true, battery_level: 80 })
  })

  it('cannot end the task of another, nor flood', async () => {
    const [b, c] = [await w.joined(), await w.joined()]
    const task = await w.push(b, message)
    const results = [{ commandId: `${task.kid}.1.1.0.1`, status: 'done', completedAt: '' }]
    await c.checkIn({ more: { results } })
    expect(await task.row()).toMatchObject({ state: 'wait_receipt' })
    const many = await Promise.all(
      Array.from({ length: 120 }, () =>
        c.checkIn().then(
          () => 'ok',
          (e: Error) => e.message,
        ),
      ),
    )
    expect(many).toContain('HTTP 429')
    expect(many).toContain('ok')
  })
})
