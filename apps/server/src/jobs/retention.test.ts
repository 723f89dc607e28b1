import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../lib/clock.ts'
import { newKid } from '../lib/ids.ts'
import { createAccount } from '../modules/people/account/index.ts'
import { dropOld } from '../modules/push/push-task/index.ts'
import { keepTransfers } from '../modules/devices/terminal-file/index.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { partitionedTables } from '../db/schema/tables.ts'
import { ensurePartitions } from './partitions.ts'

let deps: TestDeps
beforeAll(async () => void (deps = await testDeps()))
afterAll(() => deps.close())
const at = (time: string) => ({ ...deps, clock: fakeClock(new Date(time)) })
const of = { account_kid: newKid(), terminal_kid: newKid() }

it('telemetry of devices is kept for six months to the last row of a month, and then goes as a whole', async () => {
  expect(constants.device_data_retention_months).toBe(6)
  for (const table of ['terminal_report', 'terminal_event', 'terminal_session', 'terminal_usage'] as const)
    expect(partitionedTables[table].months).toBe(constants.device_data_retention_months)
  expect(partitionedTables.push_task_activity.months).toBe(constants.device_data_retention_months)
  const last = new Date('2026-01-31T23:59:59.999Z')
  const next = new Date('2026-02-01T00:00:00.000Z')
  await ensurePartitions(at('2026-01-31T12:00:00Z'))
  for (const time of [last, next]) {
    const day = time.toISOString().slice(0, 10)
    const report = { ...of, received_at: time, device_time: time, seq: 1, parts: '{}' }
    await deps.db.insertInto('terminal_report').values(report).execute()
    const event = { ...of, kid: newKid(), type: 'x', at: time, received_at: time, detail: '{}' }
    await deps.db.insertInto('terminal_event').values(event).execute()
    const session = { ...of, epoch: newKid(), node_kid: newKid(), address: '', connected_at: time }
    await deps.db.insertInto('terminal_session').values(session).execute()
    const usage = { ...of, day, app: '', network: 'wifi' as const, received: 1, sent: 1, updated_at: time }
    await deps.db.insertInto('terminal_usage').values(usage).execute()
  }
  const kept = async () => {
    const [reports, events, sessions, usages] = await Promise.all([
      deps.db.selectFrom('terminal_report').select('received_at as at').execute(),
      deps.db.selectFrom('terminal_event').select('at').execute(),
      deps.db.selectFrom('terminal_session').select('connected_at as at').execute(),
      deps.db.selectFrom('terminal_usage').select('day as at').execute(),
    ])
    return [reports, events, sessions, usages].map((rows) => rows.length)
  }
  await ensurePartitions(at('2026-07-31T23:59:59Z'))
  expect(await kept()).toEqual([2, 2, 2, 2])
  await ensurePartitions(at('2026-08-01T00:00:00Z'))
  expect(await kept()).toEqual([1, 1, 1, 1])
  const [row] = await deps.db.selectFrom('terminal_report').select('received_at').execute()
  expect(row!.received_at).toEqual(next)
})

it('a log of a device is kept for a month, with its bytes', async () => {
  expect(constants.log_retention_months).toBe(1)
  const begun = new Date('2026-01-15T08:00:00Z')
  const day_ms = 86_400_000
  const deleted: string[] = []
  const objects = { delete: async (object: string) => void deleted.push(object) } as unknown as TestDeps['objects']
  await deps.db
    .insertInto('device_transfer')
    .values({
      ...of,
      kid: newKid(),
      kind: 'log',
      name: 'a.log.gz',
      size: 1,
      state: 'completed',
      object: 'bytes',
      created_by_kid: newKid(),
      created_by: '',
      created_at: begun,
      touched_at: begun,
      expires_at: new Date(begun.getTime() + constants.device_file_cache_days * day_ms),
    } as never)
    .execute()
  const logs = () => deps.db.selectFrom('device_transfer').select('kid').where('kind', '=', 'log').execute()
  const keepAt = (days: number) =>
    keepTransfers({ ...deps, objects, clock: fakeClock(new Date(begun.getTime() + days * day_ms)) })
  await keepAt(29.9)
  expect(await logs()).toHaveLength(1)
  await keepAt(30.1)
  expect(await logs()).toEqual([])
  expect(deleted).toEqual(['bytes'])
})

it('a file that a device uploaded for a push is kept for 30 days, the push itself longer', async () => {
  const begun = new Date('2026-01-15T08:00:00Z')
  const deleted: string[] = []
  const objects = { delete: async (object: string) => void deleted.push(object) } as unknown as TestDeps['objects']
  const push_task_kid = newKid()
  const { kid: account_kid } = await createAccount(deps.db, { type: 1, name: 'Retention' })
  const told = { created_by_kid: newKid(), created_by: '', created_at: begun }
  await deps.db
    .insertInto('push_task')
    .values({
      kid: push_task_kid,
      account_kid,
      type: 'screenshot',
      payload: '{}',
      description: '',
      summary: '',
      ...told,
      total: 1,
      wait_receipt: 0,
      completed: 1,
    })
    .execute()
  await sql`INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state, result_object, created_at, state_at)
    VALUES (${push_task_kid}, ${of.terminal_kid}, ${account_kid}, 'SN', 'screenshot', 'completed', 'picture', ${begun}, ${begun})`.execute(
    deps.db,
  )
  const left = async (day: string) => {
    await dropOld({ ...at(day), objects })
    const row = await deps.db
      .selectFrom('push_task_terminal')
      .select('result_object')
      .where('push_task_kid', '=', push_task_kid)
      .executeTakeFirst()
    return row?.result_object
  }
  expect(await left('2026-02-14T07:00:00Z')).toBe('picture')
  expect(deleted).toEqual([])
  expect(await left('2026-02-14T09:00:00Z')).toBeNull()
  expect(deleted).toEqual(['picture'])
})

it('what happened on the devices of a push goes by months, and the push after them', async () => {
  const ended_at = new Date('2026-01-31T23:00:00Z')
  const push_task_kid = newKid()
  const { kid: account_kid } = await createAccount(deps.db, { type: 1, name: 'Months' })
  await ensurePartitions(at('2026-01-31T12:00:00Z'))
  await deps.db
    .insertInto('push_task')
    .values({
      kid: push_task_kid,
      account_kid,
      type: 'message',
      payload: '{}',
      description: '',
      summary: '',
      created_by_kid: newKid(),
      created_by: '',
      created_at: ended_at,
      total: 1,
      wait_receipt: 0,
      completed: 1,
      phase: 'ended',
      ended_at,
    })
    .execute()
  const activity = { kid: newKid(), account_kid, push_task_kid, terminal_kid: of.terminal_kid, attempt: 1 }
  await deps.db
    .insertInto('push_task_activity')
    .values({ ...activity, event: 'finished', at: ended_at })
    .execute()
  const left = async (time: string) => {
    await ensurePartitions(at(time))
    const activities = await deps.db.selectFrom('push_task_activity').select('kid').execute()
    await dropOld(at(time))
    const pushes = await deps.db.selectFrom('push_task').select('kid').where('kid', '=', push_task_kid).execute()
    return [activities.length, pushes.length]
  }
  expect(await left('2026-07-31T23:59:59Z')).toEqual([1, 1])
  expect(await left('2026-08-01T00:00:00Z')).toEqual([0, 0])
})
