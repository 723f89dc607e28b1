import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, errors, operationTaskKinds, osCustomLimits } from '@mdm/contract'
import type { OperationTaskRow, Sent } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { startLive } from '../../../http/live/hub.ts'
import { readSession } from '../../../http/session.ts'
import { newKid } from '../../../lib/ids.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addBatch, addExport, addPackage } from '../../../testing/operation-tasks.ts'
import { addBase, addCustom, addModel } from '../../../testing/os-customs.ts'
import { addUid } from '../../../testing/os-versions.ts'

const calls = contract.opsOperationTask.calls
let o: TestApi
let uid_kid: string
let folder: string
const kids: Record<string, string> = {}

beforeAll(async () => {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'operation-task-'))
  o.deps.objects = await localObjects(folder)
  o.deps.signFile = (object) => `/files/${object}`
  const { deps, acme, globex, provider, operator } = o
  const now = deps.clock.now()
  uid_kid = await addUid(deps, 'UIDTASKS0001')
  kids.device_import = await addBatch(deps, { account_kid: acme.kid })
  const policy_kid = newKid()
  await deps.db
    .insertInto('policy')
    .values({ kid: policy_kid, name: 'Two years', days: 730, created_at: now, updated_at: now })
    .execute()
  kids.policy_import = await addBatch(deps, { account_kid: provider.kid, policy_kid, state: 'done' })
  kids.device_export = await addExport(deps, { account_kid: globex.kid, state: 'running' })
  kids.list_export = newKid()
  const { kid: session_kid } = await deps.db
    .selectFrom('session')
    .select('kid')
    .where('user_kid', '=', o.acme_root.kid)
    .executeTakeFirstOrThrow()
  const request = { path: 'x', input: {}, columns: [], format: 'csv', name: 'Alerts of May', zone_id: 'UTC' }
  await deps.db
    .insertInto('list_export')
    .values({
      kid: kids.list_export,
      account_kid: acme.kid,
      session_kid,
      request: JSON.stringify(request),
      language: 'en',
      created_at: now,
      expires_at: new Date(now.getTime() + 60_000),
    })
    .execute()
  const own = { uid_kid, created_by_kid: operator.kid }
  kids.os_package = (await addPackage(deps, { ...own, state: 'failed', fault: 'disk_full' })).kid
  const delta = await addPackage(deps, {
    ...own,
    uid_kid: await addUid(deps, 'UIDTASKS0002'),
    state: 'making',
    is_made: true,
  })
  kids.os_delta = delta.kid
  kids.os_cancelling = newKid()
  const line = { os_version_kid: delta.os_version_kid, by_name: 'Olga', detail: '' }
  await deps.db
    .insertInto('os_version_event')
    .values({ ...line, kid: kids.os_cancelling, event: 'pushes_canceling', at: now })
    .execute()
  await deps.db.updateTable('os_version').set({ is_cancelling: true }).where('kid', '=', delta.os_version_kid).execute()
  const model = await addModel(deps, uid_kid, 'TASKS')
  const base_kid = await addBase(deps, model, 'tasks_9.00.1')
  const custom_uid = await addUid(deps, 'UIDTASKS0003', { type: 'custom', base_uid_kid: uid_kid })
  const custom = await addCustom(deps, acme.kid, { base_kid, uid_kid: custom_uid, name: 'Till OS' }, 'failed')
  kids.os_build = custom.build_kid
  await deps.db
    .updateTable('os_build')
    .set({ progress: 50, fault: JSON.stringify({ name: 'os_build_broken', details: {} }) })
    .where('kid', '=', custom.build_kid)
    .execute()
  const { kid } = await deps.db
    .selectFrom('oscs_file')
    .select('kid')
    .where('kind', '=', 'sum')
    .executeTakeFirstOrThrow()
  await deps.db
    .updateTable('oscs_file')
    .set({ state: 'failed', fault: JSON.stringify({ name: 'os_package_damaged', details: {} }) })
    .where('kid', '=', kid)
    .execute()
  kids.base_file = kid
  kids.scrapping = newKid()
  await deps.db
    .insertInto('scrap_schedule')
    .values({
      kid: kids.scrapping,
      account_kid: globex.kid,
      terminal_kids: [],
      visible_groups: null,
      group_kids: null,
      total: 7,
      created_by_kid: newKid(),
      created_by: 'Linh',
      created_by_token_kid: null,
      created_at: now,
      due_at: new Date(now.getTime() + 3_600_000),
      canceled_by: null,
      finished_at: null,
    })
    .execute()
})
afterEach(() => expect(o.internal_errors).toEqual([]))
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true, force: true })
})

const list = async (input: Sent<typeof calls.paging> = {}) =>
  (await o.call(calls.paging, { page_size: 200, ...input }, o.operator)).data
const rowOf = async (kid: string): Promise<OperationTaskRow> => (await o.call(calls.get, { kid }, o.operator)).data
const act = (what: 'cancel' | 'retry' | 'download', kid: string) => o.call(calls[what], { kid }, o.operator)

describe('operation tasks', () => {
  it('are the jobs of every kind and customer, as their own tables have them', async () => {
    const { items } = await list()
    const byKind = Object.fromEntries(
      operationTaskKinds.map((kind) => [kind, items.find((row) => row.kid === kids[kind])]),
    )
    expect(byKind).toMatchObject({
      device_import: { state: 'running', account_name: 'Acme', total: 4, done: 2, created_by: 'Olga', can: ['cancel'] },
      policy_import: { state: 'completed', name: 'Two years', account_name: null, failed: 1, can: ['result'] },
      device_export: { state: 'waiting', name: 'Stock take.csv', account_name: 'Globex', can: ['cancel'] },
      list_export: {
        state: 'waiting',
        name: 'Alerts of May',
        created_by: 'Name of acme',
        total: null,
        has_support: [],
      },
      os_package: { state: 'failed', done: 400, total: 1_000, can: ['retry'] },
      os_delta: { state: 'waiting', done: 0, total: 100, can: ['cancel'] },
      os_cancelling: { state: 'running', name: '9.00.100 (VER 1)', has_support: [] },
      os_build: { state: 'failed', name: 'Till OS 9.00.1_CD01', account_name: 'Acme', done: 50, can: ['retry'] },
      base_file: { state: 'failed', name: 'TASKS_sum.zip', account_kid: null, can: ['retry', 'download'] },
      scrapping: { state: 'waiting', account_name: 'Globex', total: 7, created_by: 'Linh', can: ['cancel'] },
    })
    expect((await o.call(calls.get, { kid: kids.os_build! }, { ...o.operator, lang: 'vi' })).data.fault).toBe(
      errors.os_build_broken.message.vi,
    )
    expect((await rowOf(kids.os_package!)) as object).toMatchObject({
      fault: expect.stringContaining('disk') as string,
    })
  })

  it('are found by kind, state, customer, person, name and time', async () => {
    const found = async (input: Sent<typeof calls.paging>) => (await list(input)).items.map((row) => row.kid)
    expect(await found({ kinds: ['scrapping', 'os_delta'] })).toEqual(
      expect.arrayContaining([kids.scrapping, kids.os_delta]),
    )
    expect((await list({ kinds: ['scrapping', 'os_delta'] })).total).toBe(2)
    expect(await found({ states: ['failed'], kinds: ['os_build', 'scrapping'] })).toEqual([kids.os_build])
    expect((await found({ account_text: 'GLOB' })).toSorted()).toEqual([kids.device_export, kids.scrapping].toSorted())
    expect(await found({ person: 'linh' })).toEqual([kids.scrapping])
    expect(await found({ text: 'stock' })).toEqual([kids.device_export])
    expect(await found({ text: "%'; drop" })).toEqual([])
    expect(await found({ to: new Date(o.deps.clock.now().getTime() - 1_000).toISOString() })).toEqual([])
  })

  it('are the provider’s alone', async () => {
    expect((await o.call(calls.paging, {}, o.acme_root)).status).toBe(403)
    const clerk = await o.person(101, o.provider.kid, 'task.reader', ['operationTaskList'])
    expect((await o.call(calls.paging, {}, clerk)).status).toBe(200)
    expect((await o.call(calls.cancel, { kid: kids.device_import! }, clerk)).status).toBe(403)
    expect((await o.call(calls.result, { kid: kids.policy_import! }, clerk)).status).toBe(403)
  })

  it('come page by page, in order, however many there are', async () => {
    const { deps, globex } = o
    const rows = 3_000
    await sql`
      INSERT INTO batch_job (kid, account_kid, owner_kid, kind, schedule_version, state, is_ready, total, created_by_kid,
        created_by, created_at, touched_at)
      SELECT gen_random_uuid(), ${globex.kid}, ${globex.kid}, 'terminal_registered', 'many-' || n, 'canceled', true, 1,
        ${newKid()}, 'Many', ${deps.clock.now()}::timestamptz - make_interval(secs => n / 3), ${deps.clock.now()}
      FROM generate_series(1, ${rows}) n
    `.execute(deps.db)
    const seen: string[] = []
    let before = Infinity
    for (let after: string | undefined; ;) {
      const page = await list({ person: 'many', ...(after && { after }) })
      for (const row of page.items) {
        expect(Date.parse(row.created_at)).toBeLessThanOrEqual(before)
        before = Date.parse(row.created_at)
        seen.push(row.kid)
      }
      if (page.next === null) break
      after = page.next
    }
    expect(new Set(seen).size).toBe(rows)
    expect(seen).toHaveLength(rows)
    await deps.db.deleteFrom('batch_job').where('created_by', '=', 'Many').execute()
  })
})

describe('an operation task', () => {
  it('is canceled by the module that does it, and the log says so', async () => {
    for (const kind of ['device_import', 'device_export', 'scrapping']) {
      expect([kind, (await act('cancel', kids[kind]!)).result]).toEqual([kind, 1])
      expect(await rowOf(kids[kind]!)).toMatchObject({ state: 'canceled' })
      expect((await act('cancel', kids[kind]!)).result).toBe(49302)
    }
    const { data } = await o.call(contract.opsOperationLog.calls.paging, { page_size: 200 }, o.operator)
    expect(data.items.filter(({ action_code }) => action_code === 'cancel')).toHaveLength(7)
    expect((await act('cancel', kids.os_delta!)).result).toBe(1)
    expect((await act('cancel', kids.os_delta!)).status).toBe(404)
  })

  it('is retried by the module that does it', async () => {
    const retried = ['os_package', 'base_file', 'os_build']
    for (const kind of retried) {
      expect([kind, (await act('retry', kids[kind]!)).result]).toEqual([kind, 1])
      expect((await rowOf(kids[kind]!)).state).not.toBe('failed')
    }
    expect((await act('retry', kids.os_build!)).result).toBe(49302)
    await o.deps.db.updateTable('os_build').set({ state: 'failed' }).where('kid', '=', kids.os_build!).execute()
    const at = o.deps.clock.now()
    for (let n = 0; n < osCustomLimits.builds_per_hour; n += 1)
      await o.deps.db.insertInto('os_build_start').values({ kid: newKid(), account_kid: o.acme.kid, at }).execute()
    expect((await act('retry', kids.os_build!)).message).toContain(String(osCustomLimits.builds_per_hour))
  })

  it('says what its kind does not support', async () => {
    expect((await act('cancel', kids.os_cancelling!)).result).toBe(49301)
    expect((await act('retry', kids.device_import!)).result).toBe(49301)
    expect((await act('download', kids.list_export!)).result).toBe(49301)
    expect((await act('cancel', newKid())).status).toBe(404)
  })

  it('of somebody else’s OS is left to its publisher', async () => {
    const other = await o.person(101, o.provider.kid, 'publisher', ['osIssue'])
    const of = { uid_kid: await addUid(o.deps, 'UIDTASKS0009'), created_by_kid: other.kid }
    const { kid } = await addPackage(o.deps, { ...of, state: 'failed' })
    expect((await act('retry', kid)).result).toBe(errors.os_not_own.result)
  })

  it('gives its file, or its spreadsheet', async () => {
    const kid = await addExport(o.deps, { account_kid: o.acme.kid, state: 'done', object: 'an-object' })
    expect((await act('download', kid)).data).toEqual({ url: '/files/an-object' })
    const url = await o.app.listen({ host: '127.0.0.1', port: 0 })
    const reply = await fetch(`${url}/api/${calls.result.path}?kid=${kids.policy_import}`, {
      headers: { authorization: `Bearer ${o.operator.token}` },
    })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-disposition')).toContain('sheet-')
    expect(
      Buffer.from(await reply.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
  })

  it('of canceled pushes ends with their number', async () => {
    const { os_version_kid } = await o.deps.db
      .selectFrom('os_version_event')
      .select('os_version_kid')
      .where('kid', '=', kids.os_cancelling!)
      .executeTakeFirstOrThrow()
    await o.deps.db.updateTable('os_version').set({ is_cancelling: false }).where('kid', '=', os_version_kid).execute()
    expect(await rowOf(kids.os_cancelling!)).toMatchObject({ state: 'canceled', finished_at: null })
    const line = { os_version_kid, by_name: 'Olga', detail: '12', event: 'pushes_canceled' as const }
    await o.deps.db
      .insertInto('os_version_event')
      .values({ ...line, kid: newKid(), at: o.deps.clock.now() })
      .execute()
    expect(await rowOf(kids.os_cancelling!)).toMatchObject({ state: 'completed', done: 12 })
  })
})

it('what is told of a job reaches who follows all of them', async () => {
  const hub = await startLive(o.deps)
  const heard: string[] = []
  const send = vi.fn((text: string) => void heard.push(text))
  const session = (await readSession(o.deps, o.operator.token))!
  await hub.connect({ session, token_hash: Buffer.alloc(32), asked_kid: null, send, beat() {}, end() {} })
  hub.publish(o.acme.kid, { type: 'file_changed' })
  hub.publish(o.acme.kid, { type: 'os_custom_changed' })
  expect(heard).toEqual(['data: {"type":"operation_task_changed"}\n\n'])
  await hub.close()
})
