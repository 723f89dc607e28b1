import { mkdtemp, rm } from 'node:fs/promises'
import { verify, createPublicKey } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, contract, errors } from '@mdm/contract'
import type { OsVersionDetail, Sent } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { addUid, addUpload, osZip } from '../../../testing/os-versions.ts'
import { lyingZip, zipOf } from '../../../testing/zip.ts'
import { applyReports } from '../../push/push-task/index.ts'
import { noteDay } from './fleet.ts'

const { opsOsVersion, osVersion, pushTask } = contract
const calls = opsOsVersion.calls
const code = 'NM11602S1E0ENGEN0001'

let o: TestApi
let uid_kid: string
type Person = Awaited<ReturnType<TestApi['person']>>
let acme: Person
let acme_sub: Person
let globex: Person
let folder: string
beforeAll(async () => {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'os-version-'))
  o.deps.objects = await localObjects(folder)
  o.deps.config.data = folder
  const may = ['userOsPush*', 'pushTaskList*', 'deviceDetailTask*', 'deviceList']
  acme = await o.person(1, o.acme.kid, 'acme.os', may)
  acme_sub = await o.person(2, o.acme_sub.kid, 'acme.sub.os', may)
  globex = await o.person(1, o.globex.kid, 'globex.os', may)
})
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => expect(o.internal_errors).toEqual([]))
beforeEach(async () => {
  for (const table of [
    'push_task',
    'push_list',
    'os_version',
    'os_key',
    'os_uid',
    'os_information',
    'terminal',
  ] as const)
    await o.deps.db.deleteFrom(table).execute()
  uid_kid = await addUid(o.deps, code)
})

const draft = (more: Partial<Sent<typeof calls.insert>> = {}): Sent<typeof calls.insert> => ({
  uid_kid,
  os_version: '9.00.200',
  version_code: 4,
  ver: 40,
  ...more,
})
const create = (more: Partial<Sent<typeof calls.insert>> = {}) => o.call(calls.insert, draft(more), o.operator)
const made = async (more: Partial<Sent<typeof calls.insert>> = {}) => (await create(more)).data.kid
const get = async (kid: string): Promise<OsVersionDetail> => (await o.call(calls.get, { kid }, o.operator)).data
const upload = (bytes: Buffer, name = `m102_${code}_full.zip`) =>
  addUpload(o.deps, { account_kid: o.operator.account_kid, user_kid: o.operator.kid }, name, bytes)
const addPackage = async (kid: string, more: object = {}, bytes?: Buffer, name?: string) =>
  o.call(
    calls.insert_package,
    { os_version_kid: kid, upload_kid: await upload(bytes ?? (await osZip()), name), ...more },
    o.operator,
  )
const settled = (kid: string) =>
  vi.waitFor(
    async () => {
      const { packages } = await get(kid)
      expect(packages.every(({ state }) => state === 'ready' || state === 'failed')).toBe(true)
      return packages
    },
    { interval: 50 },
  )
const forAll = { mode: 'launched' as const, is_for_all: true, accounts: [] }
async function released(more: Partial<Sent<typeof calls.insert>> = {}, audience: object = forAll): Promise<string> {
  const kid = await made(more)
  expect((await addPackage(kid)).result).toBe(1)
  await settled(kid)
  expect((await o.call(calls.save_audience, { kid, ...forAll, ...audience }, o.operator)).result).toBe(1)
  expect((await o.call(calls.release, { kid }, o.operator)).result).toBe(1)
  return kid
}

describe('a version', () => {
  it('has a number of 3 or 4 segments, a code and a VER that is neither 0 nor the number itself', async () => {
    for (const os_version of ['9.00.123', '9.00.123.4', '9.00.123_CD01', '9.00.124_A'])
      expect((await create({ os_version, ver: Math.ceil(Math.random() * 1e9) })).result).toBe(1)
    for (const wrong of [{ os_version: '9.00' }, { os_version: '9.0.1_' }, { ver: 0 }, { version_code: 1.5 }])
      expect((await create(wrong)).result).toBe(10000)
  })

  it('shares neither number and VER nor code and VER with another of its UID', async () => {
    await made()
    expect((await create({ os_version: '9.0.200', version_code: 5 })).result).toBe(44042)
    expect((await create({ os_version: '9.00.201' })).result).toBe(44044)
    expect((await create({ os_version: '9.00.201', version_code: 5 })).result).toBe(1)
    const both = await Promise.all([create({ ver: 41 }), create({ ver: 41 })])
    expect(both.map(({ result }) => result).toSorted()).toEqual([1, 44042])
    expect((await create({ uid_kid: newKid() })).result).toBe(44041)
  })

  it('is its publisher’s alone, until the publisher cannot sign in any more', async () => {
    const kid = await made()
    const other = await o.person(101, o.operator.account_kid, `other${Date.now()}`, ['*'])
    expect((await o.call(calls.update, { kid, description: 'x' }, other)).result).toBe(44046)
    expect((await o.call(calls.delete, { kid }, other)).result).toBe(44046)
    const set = (status: 'normal' | 'invalid') =>
      o.deps.db.updateTable('user_account').set({ status }).where('kid', '=', o.operator.kid).execute()
    await set('invalid')
    expect((await o.call(calls.update, { kid, description: 'x' }, other)).result).toBe(1)
    await set('normal')
    expect((await get(kid)).description).toBe('x')
  })

  it('holds its UID', async () => {
    await made()
    expect((await o.call(contract.opsUid.calls.delete, { kid: uid_kid }, o.operator)).result).toBe(44034)
    expect((await o.call(contract.opsUid.calls.get, { kid: uid_kid }, o.operator)).data.use_count).toBe(1)
  })
})

describe('a package', () => {
  it('is a ZIP of the folder DOWNLOAD whose name has the UID', async () => {
    const kid = await made()
    expect((await addPackage(kid, {}, undefined, 'other.zip')).result).toBe(44054)
    expect((await addPackage(kid, {}, undefined, `${code}.img`)).result).toBe(44054)
    const faults = {
      'Unpack the package': await zipOf([['m102/DOWNLOAD/system.img', 'x']]),
      'not a ZIP': Buffer.from('nothing'),
      'more or larger': lyingZip([{ name: 'DOWNLOAD/a', content: Buffer.from('a'), says_bytes: 0xfffffff0 }]),
      'is damaged, or has names': await zipOf([
        ['DOWNLOAD/a', 'x'],
        ['DOWNLOAD/A', 'y'],
      ]),
    }
    for (const [said, bytes] of Object.entries(faults)) {
      const { data } = await addPackage(kid, {}, bytes)
      const [found] = await settled(kid)
      expect(found).toMatchObject({ state: 'failed', fault: expect.stringContaining(said) as string })
      expect((await o.call(calls.delete_package, { kid: data.kid }, o.operator)).result).toBe(1)
    }
    await addPackage(kid)
    expect(await settled(kid)).toMatchObject([{ kind: 'full', state: 'ready', fault: null }])
    expect((await addPackage(kid)).result).toBe(44049)
    expect((await o.call(calls.update, { kid, ver: 50 }, o.operator)).result).toBe(44045)
  })

  it('as a difference leads from an older version of the UID, or of its base', async () => {
    const old = await made({ os_version: '9.00.123', version_code: 2, ver: 20 })
    const newer = await made({ os_version: '9.00.300', version_code: 9, ver: 90 })
    const kid = await made()
    expect((await addPackage(kid, { from_kid: kid })).result).toBe(44052)
    expect((await addPackage(kid, { from_kid: newer })).result).toBe(44053)
    expect((await addPackage(kid, { from_kid: newKid() })).result).toBe(44051)
    expect((await addPackage(kid, { from_kid: old })).result).toBe(1)
    expect((await addPackage(kid, { from_kid: old })).result).toBe(44049)
    expect((await o.call(calls.list_from, { kid }, o.operator)).data.map(({ ver }) => ver)).toEqual([20])
    expect(await settled(kid)).toMatchObject([{ kind: 'difference', from: { ver: 20 } }])
  })
})

describe('a release', () => {
  it('needs packages that are ready and somebody to have it, and is signed', async () => {
    const kid = await made()
    const release = async () => (await o.call(calls.release, { kid }, o.operator)).result
    expect(await release()).toBe(44061)
    const audience = async (more: object) =>
      (await o.call(calls.save_audience, { kid, ...forAll, ...more }, o.operator)).result
    expect(await audience({ mode: 'pre_released' })).toBe(44057)
    expect(await audience({ is_for_all: false })).toBe(44057)
    const one = { account_kid: acme.account_kid, terminal_group_kids: null }
    expect(await audience({ is_for_all: false, accounts: [{ ...one, account_kid: newKid() }] })).toBe(44058)
    expect(await audience({ is_for_all: false, accounts: [{ ...one, terminal_group_kids: [newKid()] }] })).toBe(44057)
    expect(await audience({})).toBe(1)
    expect(await release()).toBe(44059)
    await addPackage(kid, {}, Buffer.from('nothing'))
    const [bad] = await settled(kid)
    expect(await release()).toBe(44060)
    await o.call(calls.delete_package, { kid: bad!.kid }, o.operator)
    await addPackage(kid)
    await settled(kid)
    expect(await release()).toBe(1)
    expect(await release()).toBe(44047)
    const row = await o.deps.db.selectFrom('os_version').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
    const { key } = await get(kid)
    const own = createPublicKey({ key: Buffer.from(key!, 'base64'), format: 'der', type: 'spki' })
    expect(verify(null, Buffer.from(row.manifest!), own, Buffer.from(row.signature!, 'base64'))).toBe(true)
    expect((await addPackage(kid)).result).toBe(44047)
    expect((await o.call(calls.delete, { kid }, o.operator)).result).toBe(44047)
    const { data } = await o.call(calls.list_history, { kid }, o.operator)
    expect(data.map(({ event }) => event)).toContain('launched')
  })

  it('is seen by those who may have it: all, or named customers and what is below them', async () => {
    const seen = async (who: { token: string }) =>
      (await o.call(osVersion.calls.list, {}, who)).data.items.map(({ os_version }) => os_version)
    await released({ os_version: '9.00.201', ver: 41 })
    const toAcme = { is_for_all: false, accounts: [{ account_kid: acme.account_kid, terminal_group_kids: null }] }
    await released({ os_version: '9.00.202', ver: 42 }, toAcme)
    const kid = await released({ os_version: '9.00.203', ver: 43 }, { ...toAcme, mode: 'pre_released' })
    expect((await seen(acme)).toSorted()).toEqual(['9.00.201', '9.00.202', '9.00.203'])
    expect((await seen(acme_sub)).toSorted()).toEqual(['9.00.201', '9.00.202', '9.00.203'])
    expect(await seen(globex)).toEqual(['9.00.201'])
    await o.call(calls.take_offline, { kid, cancels_tasks: false }, o.operator)
    expect(await seen(acme)).not.toContain('9.00.203')
    expect((await o.call(calls.take_offline, { kid, cancels_tasks: false }, o.operator)).result).toBe(44047)
    expect((await o.call(calls.delete, { kid }, o.operator)).result).toBe(1)
    const none = await o.call(osVersion.calls.list, {}, globex)
    expect(none.data.why_none).toBe('none_for_devices')
    await o.deps.db.deleteFrom('os_version').execute()
    expect((await o.call(osVersion.calls.list, {}, globex)).data.why_none).toBe('none_associated')
  })

  it('is one act, whichever page lets it out: choosing recipients only makes them fewer', async () => {
    const to = (account_kid: string) => ({ account_kid, terminal_group_kids: null })
    const some = (mode: 'launched' | 'pre_released', ...kids: string[]) => ({
      ...{ mode, is_for_all: false, accounts: kids.map(to) },
    })
    const kid = await released({}, some('pre_released', acme.account_kid))
    const save = async (audience: object) =>
      (await o.call(calls.save_audience, { kid, ...audience } as never, o.operator)).result
    const release = async (audience: object, as = o.operator) =>
      (await o.call(calls.release, { kid, audience } as never, as)).result
    const { released_at } = await get(kid)
    await o.deps.clock.advance(1_000)
    for (const more of [
      forAll,
      some('launched', acme.account_kid),
      some('pre_released', acme.account_kid, globex.account_kid),
    ])
      expect(await save(more)).toBe(errors.os_release_needed.result)
    expect(await get(kid)).toMatchObject({ state: 'pre_released', released_at })
    const chooser = await o.person(101, o.operator.account_kid, 'os.chooser', ['osIssue', 'osIssueReleaseOs*'])
    const releaser = await o.person(101, o.operator.account_kid, 'os.releaser', ['osIssue', 'osIssueCompleteOs*'])
    for (const who of [chooser, releaser]) expect(await release(forAll, who)).toBe(errors.no_permission.result)
    expect(await release(some('pre_released', acme.account_kid, globex.account_kid))).toBe(1)
    expect(await get(kid)).toMatchObject({ state: 'pre_released', released_at })
    expect(await release(forAll)).toBe(1)
    const out = await get(kid)
    expect(out.state).toBe('launched')
    expect(out.released_at).not.toBe(released_at)
    expect(await save(some('launched', acme.account_kid))).toBe(1)
    const log = await o.deps.db
      .selectFrom('operation_log')
      .select(['action_code', 'result'])
      .where('module_code', '=', 'ops/os_version')
      .orderBy('kid', 'desc')
      .limit(2)
      .execute()
    expect(log.map(({ action_code }) => action_code)).toEqual(['save_audience', 'release'])
  })

  it('that somebody may not have any more takes their pushes with it, and nobody else’s', async () => {
    const two = [acme, globex].map(({ account_kid }) => ({ account_kid, terminal_group_kids: null }))
    const kid = await released({}, { is_for_all: false, accounts: two })
    const build = { uid: code, os_version: '9.00.123', version_code: 2, ver: 20 }
    const push = async (who: typeof acme) => {
      const start_at = new Date(o.deps.clock.now().getTime() + 3_600_000).toISOString()
      const terminal_kids = [await addTerminal(o.deps, who.account_kid, build)]
      const what = { type: 'os' as const, payload: { os_version_kid: kid }, conditions: { start_at } }
      return (await o.call(pushTask.calls.insert, { ...what, terminal_kids } as never, who)).data as { kid: string }
    }
    const [mine, theirs] = [await push(acme), await push(globex)]
    const phase = async (of: { kid: string }, who: typeof acme) =>
      (await o.call(pushTask.calls.get, { kid: of.kid }, who)).data.phase
    const narrow = { kid, mode: 'launched' as const, is_for_all: false, accounts: [two[0]!] }
    expect((await o.call(calls.save_audience, narrow, o.operator)).result).toBe(1)
    await vi.waitFor(async () => expect(await phase(theirs, globex)).toBe('canceled'))
    await vi.waitFor(async () => expect((await get(kid)).is_cancelling).toBe(false))
    expect(await phase(mine, acme)).toBe('planned')
  })

  it('is signed anew when the key changes', async () => {
    const kid = await released()
    const before = (await get(kid)).key
    const { rotate } = await import('../../store/os-update/index.ts')
    await rotate(testActor(o.deps, o.operator.account_kid), true)
    expect((await get(kid)).key).not.toBe(before)
    const { data } = await o.call(calls.list_key, {}, o.operator)
    expect(data).toMatchObject([{ is_active: true }, { is_active: false, is_revoked: true, public_key: before }])
  })
})

describe('a push', () => {
  const build = { uid: code, os_version: '9.00.123', version_code: 2, ver: 20 }
  const add = (more: object = {}) => addTerminal(o.deps, acme.account_kid, { ...build, ...more })
  const payload = (kid: string) => ({ type: 'os' as const, payload: { os_version_kid: kid } })

  it('leaves out who runs it, who runs a newer one and who cannot say, each with the reason', async () => {
    const kid = await released()
    const kids = await Promise.all([
      add(),
      add({ os_version: '9.00.200', version_code: 4, ver: 40 }),
      add({ os_version: '9.00.300', version_code: 5, ver: 50 }),
      add({ os_version: 'rolling' }),
      add({ uid: 'NM26404S2E1VIGEN0001' }),
      add({ task_types: ['message'] }),
    ])
    const preview = await o.call(pushTask.calls.preview, { ...payload(kid), terminal_kids: kids }, acme)
    expect(preview.data).toMatchObject({ total: 1 })
    expect(Object.fromEntries(preview.data.left_out.map(({ reason, count }) => [reason, count]))).toEqual({
      has_version: 1,
      has_newer: 1,
      version_unknown: 1,
      other_uid: 1,
      not_capable: 1,
    })
    const other = await released({ os_version: '9.00.400', ver: 60, version_code: 6 })
    const insert = (of: string) =>
      o.call(pushTask.calls.insert, { ...payload(of), preview_kid: preview.data.kid }, acme)
    // A preview of one version is no list of devices for another.
    expect((await insert(other)).result).toBe(43008)
    expect((await insert(kid)).data).toMatchObject({ target_count: 1, left_out: 5, summary: '9.00.200 (VER 40)' })
    expect((await o.call(calls.pushing, { kid }, o.operator)).data).toMatchObject({
      customers: 1,
      tasks: 1,
      devices: 1,
    })
    const named = await o.call(pushTask.calls.insert, { ...payload(kid), terminal_kids: [kids[2]!] }, acme)
    expect(named.result).toBe(43007)
  })

  it('that a device completes is believed once the new version has said hello, and fails before', async () => {
    const kid = await released()
    const [old, fresh] = [await add(), await add()]
    const { data } = await o.call(pushTask.calls.insert, { ...payload(kid), terminal_kids: [old, fresh] }, acme)
    // What hello has said of it since.
    const now_runs = { os_version: '9.00.200', version_code: 4, ver: 40 }
    await o.deps.db.updateTable('terminal').set(now_runs).where('kid', '=', fresh).execute()
    const report = (terminal_kid: string, state: 'executing' | 'completed') => ({
      terminal_kid,
      at: o.deps.clock.now(),
      body: { task_kid: data.kid, attempt: 1, state, result: { text: 'Runs 9.00.200' } },
    })
    for (const state of ['executing', 'completed'] as const)
      await o.deps.db
        .transaction()
        .execute((trx) => applyReports(o.deps, trx, [report(old, state), report(fresh, state)]))
    const rows = await o.deps.db
      .selectFrom('push_task_terminal')
      .select(['terminal_kid', 'state', 'code'])
      .where('push_task_kid', '=', data.kid)
      .execute()
    expect(Object.fromEntries(rows.map(({ terminal_kid, state, code: why }) => [terminal_kid, [state, why]]))).toEqual({
      [old]: ['failed', 'version_not_running'],
      [fresh]: ['completed', null],
    })
  })

  it('only with a difference is for those who run the version that it leads from', async () => {
    const old = await made({ os_version: '9.00.123', version_code: 2, ver: 20 })
    const kid = await made()
    await addPackage(kid, { from_kid: old })
    await settled(kid)
    await o.call(calls.save_audience, { kid, ...forAll }, o.operator)
    await o.call(calls.release, { kid }, o.operator)
    const kids = [await add(), await add({ version_code: 1, ver: 10, os_version: '9.00.101' })]
    const preview = await o.call(pushTask.calls.preview, { ...payload(kid), terminal_kids: kids }, acme)
    expect(preview.data).toMatchObject({ total: 1, left_out: [{ reason: 'no_package', count: 1 }] })
  })

  it('is refused for a version of others, and canceled when it goes offline', async () => {
    const to = { is_for_all: false, accounts: [{ account_kid: acme.account_kid, terminal_group_kids: null }] }
    const kid = await released({}, to)
    const terminal_kids = [await add()]
    const theirs = [await addTerminal(o.deps, globex.account_kid, build)]
    const refused = await o.call(pushTask.calls.insert, { ...payload(kid), terminal_kids: theirs }, globex)
    expect(refused.result).toBe(44062)
    const { data } = await o.call(pushTask.calls.insert, { ...payload(kid), terminal_kids }, acme)
    expect((await o.call(calls.take_offline, { kid, cancels_tasks: true }, o.operator)).result).toBe(1)
    await vi.waitFor(async () => {
      const task = await o.call(pushTask.calls.get, { kid: data.kid }, acme)
      expect(task.data.counts.canceled).toBe(1)
      expect((await get(kid)).is_cancelling).toBe(false)
    })
    // Nobody of the provider is named to the customer.
    expect((await o.call(pushTask.calls.get, { kid: data.kid }, acme)).data.canceled_by).toBeNull()
    const [terminal_kid] = terminal_kids
    const process = await o.call(
      pushTask.calls.list_activity,
      { push_task_kid: data.kid, terminal_kid: terminal_kid! },
      acme,
    )
    expect(process.data.at(-1)).toMatchObject({ event: 'cancelled', by: null })
    const again = await o.call(pushTask.calls.retry, { push_task_kid: data.kid }, acme)
    expect(again.result).toBe(44062)
    expect((await o.call(calls.delete, { kid }, o.operator)).result).toBe(1)
  })

  it('to ten devices and more asks for the password, begins a minute later, and keeps to the hour', async () => {
    const kid = await released()
    const terminal_kids = await Promise.all(Array.from({ length: 10 }, () => add()))
    const push = () => o.call(pushTask.calls.insert, { ...payload(kid), terminal_kids }, acme)
    const confirm = (confirmed_at: Date | null) =>
      o.deps.db.updateTable('session').set({ confirmed_at }).where('user_kid', '=', acme.kid).execute()
    expect((await push()).result).toBe(41021)
    await confirm(o.deps.clock.now())
    const { data } = await push()
    const start_at = new Date(o.deps.clock.now().getTime() + constants.scrap_delay_seconds * 1_000).toISOString()
    expect(data).toMatchObject({ phase: 'planned', start_at })
    const target_count = constants.os_push_per_hour - 10
    await o.deps.db.updateTable('push_task').set({ target_count }).where('kid', '=', data.kid).execute()
    expect((await push()).result).toBe(1)
    expect((await push()).result).toBe(errors.task_too_many_per_hour.result)
    await confirm(null)
  })

  it('is for what the fleet shows to be behind', async () => {
    const kid = await released()
    await add()
    await add({ os_version: '9.00.200', version_code: 4, ver: 40 })
    await noteDay(o.deps)
    const fleet = (await o.call(osVersion.calls.fleet, { days: 30 }, acme)).data
    expect(fleet).toMatchObject({ behind: 1 })
    expect(fleet.now.find(({ os_version }) => os_version === '9.00.123')?.newest).toMatchObject({ kid })
    expect(fleet.days.map(({ os_version, devices }) => [os_version, devices])).toEqual([
      ['9.00.123', 1],
      ['9.00.200', 1],
    ])
    const behind = (await o.call(osVersion.calls.paging_behind, {}, acme)).data
    expect(behind).toMatchObject({ total: 1, items: [{ os_version: '9.00.123', newest: '9.00.200' }] })
    const running = (await o.call(calls.running, { kid }, o.operator)).data
    expect(running).toMatchObject({ devices: 1, behind: 1, accounts: [{ name: 'Acme' }] })
  })
})
