import { constants, contract } from '@mdm/contract'
import type { OpsOverview } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { createAccount } from '../../people/account/index.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { failedSignIns, tasksSince } from './service.ts'

const { overview } = contract.opsHome.calls
const day_ms = 24 * 3_600_000

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const read = async (): Promise<OpsOverview> => (await o.call(overview, {}, o.operator)).data
const inDays = (days: number) => new Date(o.deps.clock.now().getTime() + days * day_ms)
const account = (name: string, more: object = {}) =>
  createAccount(o.deps.db, { type: 1, name, terminal_max: 100, ...more })

describe('the home of the provider', () => {
  it('counts customers by state and devices by presence', async () => {
    const before = await read()
    expect(before.customers).toEqual({ total: 2, normal: 2, init: 0, invalid: 0, expired: 0 })
    await account('New', { status: 'init' })
    await account('Off', { status: 'invalid' })
    const { kid } = await account('Over', { expire_time: inDays(-1) })
    await account('Over Sub', { type: 2, parent_kid: kid, terminal_max: 5 })
    await addTerminal(o.deps, o.acme.kid, {}, { is_online: true })
    await addTerminal(o.deps, o.acme_sub.kid)
    const after = await read()
    expect(after.customers).toEqual({ total: 5, normal: 2, init: 1, invalid: 2, expired: 1 })
    expect(after.devices).toEqual({ total: before.devices.total + 2, online: before.devices.online + 1 })
  })

  it('names what ends soon or has just ended, in order', async () => {
    await o.deps.db.updateTable('account').set({ expire_time: null }).execute()
    await account('Ends 40', { expire_time: inDays(40) })
    await account('Ended 40', { expire_time: inDays(-40) })
    await account('Ends off', { expire_time: inDays(1), status: 'invalid' })
    for (let n = 1; n <= 12; n += 1) await account(`Ends ${n}`, { expire_time: inDays(n) })
    await account('Ended 2', { expire_time: inDays(-2) })
    const { expiring } = await read()
    expect(expiring.map((one) => one.name)).toEqual([
      'Ended 2',
      ...Array.from({ length: 10 }, (_, n) => `Ends ${n + 1}`),
    ])
  })

  it('names who is nearly full, with what is kept for the accounts below', async () => {
    const fill = async (kid: string, devices: number) => {
      for (let n = 0; n < devices; n += 1) await addTerminal(o.deps, kid)
    }
    const nearly = await account('Nearly', { terminal_max: 10 })
    const below = await account('Nearly Sub', { type: 2, parent_kid: nearly.kid, terminal_max: 3 })
    await fill(nearly.kid, 6)
    await fill(below.kid, 1)
    await fill((await account('Full', { terminal_max: 1 })).kid, 1)
    await fill((await account('Airy', { terminal_max: 10 })).kid, 8)
    await fill((await account('Endless', { terminal_max: constants.unlimited_devices })).kid, 1)
    await account('Nothing', { terminal_max: 0 })
    expect((await read()).nearly_full.map((one) => [one.name, one.taken, one.terminal_max])).toEqual([
      ['Full', 1, 1],
      ['Nearly', 9, 10],
    ])
  })

  it('names who stores most, both areas together', async () => {
    const use = (kid: string, area: string, bytes: number) =>
      sql`UPDATE disk_space SET used_bytes = ${bytes} WHERE account_kid = ${kid} AND area = ${area}`.execute(o.deps.db)
    await use(o.acme.kid, 'file_disk', 10)
    await use(o.acme.kid, 'app_center', 5)
    await use(o.globex.kid, 'app_center', 12)
    await use(o.provider.kid, 'file_disk', 99)
    expect((await read()).storage).toEqual([
      { kid: o.acme.kid, name: 'Acme', used: 15, space: 2 * constants.default_disk_space },
      { kid: o.globex.kid, name: 'Globex', used: 12, space: 2 * constants.default_disk_space },
    ])
  })

  it('counts running tasks, and those that failed since midnight where the reader is', async () => {
    const now = o.deps.clock.now()
    const task = async (states: { state: 'wait_receipt' | 'failed' | 'completed'; state_at?: Date }[]) => {
      const kid = newKid()
      const common = { account_kid: o.acme.kid, type: 'message' as const, created_at: now }
      await o.deps.db
        .insertInto('push_task')
        .values({
          ...common,
          kid,
          payload: '{}',
          description: '',
          summary: '',
          created_by_kid: newKid(),
          created_by: '',
          total: states.length,
          wait_receipt: 0,
        })
        .execute()
      for (const { state, state_at = now } of states)
        await o.deps.db
          .insertInto('push_task_terminal')
          .values({
            ...common,
            push_task_kid: kid,
            terminal_kid: newKid(),
            sn: '',
            state,
            state_at,
            deadline_at: state === 'wait_receipt' ? now : null,
          })
          .execute()
    }
    await task([{ state: 'wait_receipt' }, { state: 'wait_receipt' }, { state: 'failed' }])
    await task([{ state: 'completed' }])
    await task([{ state: 'failed' }, { state: 'failed' }])
    // It is 08:00 in UTC: 15:00 in Hà Nội, 02:00 in Chicago.
    await task([{ state: 'failed', state_at: new Date(now.getTime() - 7 * 3_600_000) }])
    await task([{ state: 'failed', state_at: new Date(now.getTime() - 10 * 3_600_000) }])
    const tasksIn = async (zone_id: string | null) => {
      await o.deps.db.updateTable('user_account').set({ zone_id }).where('kid', '=', o.operator.kid).execute()
      return (await read()).tasks
    }
    expect(await tasksIn(null)).toEqual({ running: 1, failed_today: 3 })
    expect(await tasksIn('Asia/Ho_Chi_Minh')).toEqual({ running: 1, failed_today: 4 })
    expect(await tasksIn('America/Chicago')).toEqual({ running: 1, failed_today: 2 })
  })

  it('counts who failed to sign in within a day', async () => {
    const row = (module_code: string, action_code: string, result: number, days: number) => ({
      ...{
        kid: newKid(),
        operator_name: '',
        operator_username: 'x',
        module_code,
        action_code,
        ip: '',
        result,
        message: '',
      },
      ...{ duration_ms: 1, created_at: inDays(days), client: '{}', request: '{}', response: '{}' },
    })
    const { failed_sign_ins } = await read()
    await o.deps.db
      .insertInto('operation_log')
      .values([
        row('login', 'login', 41001, 0),
        row('login', 'totp', 41005, -0.9),
        row('login', 'login', 41001, -1.1),
        row('login', 'login', 1, 0),
        row('login', 'confirm_password', 41022, 0),
        row('role', 'insert', 44001, 0),
      ])
      .execute()
    expect((await read()).failed_sign_ins - failed_sign_ins).toBe(2)
  })

  it('tells living servers from dead ones, and whose clock is in doubt', async () => {
    const at = (seconds: number) => new Date(o.deps.clock.now().getTime() - seconds * 1000)
    const heard = (seconds: number) => sql<Date>`now() - make_interval(secs => ${seconds})`
    const [alive, dead] = [newKid(), newKid()]
    const clock_doubt = { jumped_ms: -7_200_000, since: at(3).toISOString(), is_start: false }
    await o.deps.db
      .insertInto('node')
      .values([
        { kid: o.deps.node_kid, started_at: at(900), seen_at: at(50), heard_at: heard(50) },
        {
          ...{ kid: alive, started_at: at(800), seen_at: at(3), heard_at: heard(3) },
          clock_doubt: JSON.stringify(clock_doubt),
        },
        { kid: dead, started_at: at(700), seen_at: at(31), heard_at: heard(31) },
      ])
      .execute()
    const { nodes } = await read()
    expect(nodes.map((node) => [node.kid, node.is_alive])).toEqual([
      [o.deps.node_kid, true],
      [alive, true],
      [dead, false],
    ])
    expect(nodes.map((node) => node.clock_doubt)).toEqual([null, clock_doubt, null])
  })

  it('is for its own people', async () => {
    expect((await o.call(overview, {}, o.acme_root)).status).toBe(403)
    const plain = await o.person(101, o.provider.kid, 'no-home', ['searchList'])
    expect((await o.call(overview, {}, plain)).status).toBe(403)
  })

  it('reads tasks and sign-ins by the indexes that hold nothing else', async () => {
    await sql`INSERT INTO operation_log (kid, operator_name, operator_username, module_code, action_code, ip, result, message, duration_ms, created_at, client, request, response)
      SELECT gen_random_uuid(), '', '', 'role', 'insert', '', 1, '', 1, now(), '{}', '{}', '{}' FROM generate_series(1, 5000)`.execute(
      o.deps.db,
    )
    await sql`INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state, state_at, created_at)
      SELECT (SELECT kid FROM push_task LIMIT 1), gen_random_uuid(), ${o.acme.kid}::uuid, '', 'message', 'completed', now(), now() FROM generate_series(1, 5000)`.execute(
      o.deps.db,
    )
    await sql`ANALYZE operation_log, push_task_terminal`.execute(o.deps.db)
    const now = new Date()
    const explained = await sql`EXPLAIN (FORMAT JSON) ${tasksSince(now)}`.execute(o.deps.db)
    const tasks = JSON.stringify(explained.rows)
    expect(tasks).toContain('push_task_terminal_failed')
    expect(tasks).toContain('push_task_terminal_deadline')
    const sign_ins = JSON.stringify(await failedSignIns(o.deps.db, now).explain('json'))
    for (const plan of [tasks, sign_ins]) expect(plan).not.toContain('Seq Scan')
  })
})
