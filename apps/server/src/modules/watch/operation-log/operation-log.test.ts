import { contract, errorMessage, errors } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi, testPassword } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { beginOperation, recordOperation } from '../../../http/operation-log.ts'
import { clientHash } from '../../../lib/passwords.ts'
import { workFor } from '../../../testing/sign-in.ts'
import { newKid } from '../../../lib/ids.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { messageOf, trackOf } from './names.ts'

const log = contract.operationLog.calls
const opsLog = contract.opsOperationLog.calls
const code = contract.opsClientCode.calls
const { login, puzzle, check_puzzle, logout } = contract.login.calls
const { save_preferences } = contract.account.calls
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
const newest = async (lang = 'en') =>
  (await o.call(opsLog.paging, { page_size: 1 }, { token: o.operator.token, lang })).data.items[0]!
const detail = async () => (await o.call(opsLog.get, { kid: (await newest()).kid }, o.operator)).data
const count = async () => (await o.deps.db.selectFrom('operation_log').select('kid').execute()).length

describe('a write', () => {
  it('leaves one row with everything about it, and browsers hear of it', async () => {
    const before = await count()
    o.deps.events.length = 0
    const as = { ...o.operator, user_agent: chrome, address: '198.51.100.4' }
    const { kid } = (await o.call(code.insert, { code: 'AB12c', name: 'Ngân hàng' }, as)).data
    expect(await count()).toBe(before + 1)
    expect(await detail()).toMatchObject({
      module_code: 'ops/client_code',
      module_name: 'Customer codes',
      action_code: 'insert',
      action_name: 'Create a customer code',
      operator_kid: o.operator.kid,
      operator_username: 'operator',
      operator_name: 'Name of operator',
      operator_enterprise_kid: o.provider.kid,
      operator_enterprise_name: 'Provider',
      account_kid: o.provider.kid,
      account_name: 'Provider',
      ip: '198.51.100.4',
      result: 1,
      message: '',
      created_at: o.deps.clock.now().toISOString(),
      client: {
        access_type: 'web',
        access_target: 'ops/client_code/insert',
        access_mode: 'POST',
        name: 'Chrome',
        major_version: '142',
        version: '142.0.0.0',
        os: 'Linux',
        ip: '198.51.100.4',
      },
      request: { method: 'POST', content: '{"code":"AB12c","name":"Ngân hàng","remark":""}' },
      tracks: [{ table: 'client_code', table_name: 'Customer code', kid, name: 'AB12c', change: 'created AB12c' }],
      objects: [{ table: 'client_code', table_name: 'Customer code', kid, name: 'AB12c' }],
      object_count: 1,
      change: 'created AB12c',
      detail: 'Customer code: created AB12c',
      operator_picture: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    })
    expect((await detail()).response.content).toContain(kid)
    expect(o.deps.events).toEqual([
      { account_kid: o.provider.kid, event: { type: 'operation_log' } },
      { account_kid: null, event: { type: 'operation_log' } },
    ])
    expect(await newest('vi')).toMatchObject({ module_name: 'Mã khách hàng', action_name: 'Tạo mã khách hàng' })
  })

  it('that was refused leaves one too, with the reason; a read leaves none', async () => {
    const before = await count()
    expect((await o.call(code.insert, { code: 'ab12C', name: 'Other' }, o.operator)).result).toBe(44002)
    expect((await o.call(code.insert, { code: 'x', name: '' }, o.operator)).result).toBe(10000)
    expect((await detail()).detail).toMatch(/^(code|name): .+\n(code|name): /)
    expect((await o.call(code.insert, { code: 'ZZZZZ', name: 'Z' }, o.acme_root)).result).toBe(403)
    await o.call(code.paging, {}, o.operator)
    await o.call(code.insert, { code: 'ZZZZZ', name: 'Z' })
    expect(await count()).toBe(before + 3)
    expect(await newest()).toMatchObject({ result: 403, operator_username: 'acme', account_name: 'Acme' })
  })

  it('that was refused is read, and found, in the language of its reader', async () => {
    await o.call(code.insert, { code: 'QQQQQ', name: 'Twice' }, o.operator)
    const as = { token: o.operator.token, lang: 'zh-cn' }
    const { result, message } = await o.call(code.insert, { code: 'qqqqq', name: 'Again' }, as)
    for (const lang of ['en', 'vi', 'zh-cn'] as const) {
      const said = errorMessage('duplicate_code', lang)
      expect(await newest(lang)).toMatchObject({ result, message: said })
      const { items } = (await o.call(opsLog.paging, { text: said }, { token: o.operator.token, lang })).data
      expect(items[0]).toMatchObject({ result, message: said })
    }
    expect(message).toBe(errorMessage('duplicate_code', 'zh-cn'))
    // What fills a sentence is kept; a refusal that this release does not know says what was said then.
    const row = { result: errors.too_many_requests.result, message: 'said then', message_details: { seconds: 7 } }
    expect(messageOf(row, 'vi')).toBe('Quá nhiều yêu cầu. Thử lại sau 7 giây.')
    expect(messageOf({ ...row, result: 99_999 }, 'vi')).toBe('said then')
    const unknown = { result: errors.outcome_unknown.result, message: 'said then', message_details: null }
    expect(messageOf(unknown, 'vi')).toBe(errorMessage('outcome_unknown', 'vi'))
    expect(new Set(Object.values(errors).map((entry) => entry.result)).size).toBe(Object.keys(errors).length)
  })

  it('says what changed, and with which remark, in the language of its reader', async () => {
    const remark = 'asked for by the bank'
    await o.call(code.insert, { code: 'LANG1', name: 'Languages', remark }, o.operator)
    await o.call(contract.account.calls.save_preferences, { language: 'en', zone_id: 'UTC' }, o.acme_root)
    const [saved, made] = (await o.call(opsLog.paging, { page_size: 2 }, o.operator)).data.items
    const said = async (kid: string, lang: string) =>
      (await o.call(opsLog.get, { kid }, { token: o.operator.token, lang })).data
    expect(await said(made!.kid, 'vi')).toMatchObject({ detail: 'Mã khách hàng: đã tạo LANG1', remark })
    expect((await said(made!.kid, 'zh-cn')).tracks[0]!.change).toBe('已创建 LANG1')
    expect(await said(saved!.kid, 'en')).toMatchObject({ detail: 'User account: preferences: language, time zone' })
    expect(await said(saved!.kid, 'zh-cn')).toMatchObject({ detail: '用户账号: 偏好设置：语言、时区', remark: '' })
    // A row of a kind that is gone says what was said then.
    const old = { table: 'client_code', kid: 'k', change: 'said then' }
    expect(trackOf({ ...old, kind: 'gone' as never }, { language: 'vi', zone: 'UTC' })).toEqual({
      ...old,
      name: '',
      table_name: 'Mã khách hàng',
    })
  })

  it('is cut at 8 KB, and its secrets are masked', async () => {
    const { call, request } = { call: code.update, request: (await requestOf())! }
    const input = {
      password: 'hidden-1',
      nested: [{ AccessToken: 'hidden-2', claim: 'hidden-3' }],
      text: 'ế'.repeat(9000),
    }
    const session = { ...(await sessionOf()) }
    await recordOperation(o.deps, {
      call,
      request,
      session,
      input,
      data: { token: 'hidden-4' },
      result: 1,
      message: 'a\0b\ud800',
      tracks: [{ table: 't', kid: 'k', change: 'c\0\udfff', kind: 'gone' as never }],
      duration_ms: 3,
    })
    const row = await detail()
    expect(row.message).toBe('ab\uFFFD')
    expect(row.tracks).toEqual([{ table: 't', table_name: 't', name: '', kid: 'k', change: 'c\uFFFD' }])
    expect(Buffer.byteLength(row.request.content)).toBeLessThanOrEqual(8192 + 3)
    expect(row.request.content).toMatch(/ế…$/)
    expect(JSON.stringify(row)).not.toContain('hidden')
    expect(row.response.content).toBe('{"token":"***"}')
  })

  it('is refused, and not done, when it cannot be recorded; coming in is not', async () => {
    const names = async () =>
      (await o.deps.db.selectFrom('os_information').select('code').execute()).map((row) => row.code)
    const before = await names()
    await sql`ALTER TABLE operation_log RENAME TO operation_log_away`.execute(o.deps.db)
    try {
      const { status, result } = await o.call(code.insert, { code: 'NOLOG', name: 'x' }, o.operator)
      expect([status, result]).toEqual([503, 503])
      expect(await names()).toEqual(before)
      expect((await o.call(code.paging, {}, o.operator)).status).toBe(200)
      expect((await o.call(puzzle, {})).status).toBe(200)
    } finally {
      await sql`ALTER TABLE operation_log_away RENAME TO operation_log`.execute(o.deps.db)
    }
    expect((await o.call(code.insert, { code: 'NOLOG', name: 'x' }, o.operator)).status).toBe(200)
    expect(await names()).toContain('NOLOG')
  })

  it('that never came to its end says that its outcome is not known', async () => {
    const session = await sessionOf()
    const before = await count()
    const { kid } = await beginOperation(o.deps, { call: code.update, request: await requestOf(), session, input: {} })
    expect(await count()).toBe(before + 1)
    const { data } = await o.call(opsLog.get, { kid }, o.operator)
    expect([data.result, data.message]).toEqual([508, expect.stringContaining('outcome')])
  })

  it('that was refused, or that nobody signed in for, is answered even when its row cannot be written', async () => {
    const before = await count()
    const db = o.deps.db.withSchema('nowhere')
    const operation = {
      call: code.update,
      request: await requestOf(),
      session: await sessionOf(),
      input: {},
      data: {},
      result: 1,
      message: '',
      tracks: [],
      duration_ms: 1,
    }
    await expect(recordOperation({ ...o.deps, db }, operation)).resolves.toBeUndefined()
    expect(await count()).toBe(before)
  })

  const requestOf = async () => ({
    kid: 'r',
    address: '192.0.2.1',
    user_agent: '',
    url: '/api/x',
    method: 'POST',
    content_type: null,
    content_length: 0,
    timestamp: null,
    language: 'en' as const,
  })
  const sessionOf = async () => {
    const { readSession } = await import('../../../http/session.ts')
    return (await readSession(o.deps, o.operator.token))!
  }
})

it('outside of customers, the permission of the log alone shows what was done in the account of the provider', async () => {
  const reader = await o.person(101, o.provider.kid, 'log.reader', ['operationLogList'])
  await o.call(save_preferences, { language: 'en' }, o.acme_root)
  const foreign = (await newest()).kid
  await o.call(save_preferences, { language: 'en' }, o.operator)
  const { result, data } = await o.call(log.paging, { page_size: 200 }, reader)
  expect(result).toBe(1)
  expect(data.items[0]).toMatchObject({ operator_username: 'operator', action_code: 'save_preferences' })
  expect(new Set(data.items.map(({ account_kid }) => account_kid))).toEqual(new Set([o.provider.kid]))
  expect((await o.call(log.get, { kid: data.items[0]!.kid }, reader)).result).toBe(1)
  expect((await o.call(log.get, { kid: foreign }, reader)).status).toBe(404)
  const people = (await o.call(log.list_operator, {}, reader)).data
  expect(people.map(({ operator_username }) => operator_username)).toEqual(['log.reader', 'operator'])
  expect((await o.call(opsLog.paging, {}, reader)).status).toBe(403)
  await o.deps.db.deleteFrom('operation_log').where('kid', 'in', [foreign, data.items[0]!.kid]).execute()
})

describe('a secret', () => {
  const log_text = async () => JSON.stringify(await o.deps.db.selectFrom('operation_log').selectAll().execute())

  it('of a one-time code, or a code that is still good after a refusal, is not recorded', async () => {
    const { qrcode_registered_cache, manual_registered } = contract.terminal.calls
    const code = (await o.call(qrcode_registered_cache, { terminal_group_kid: 'NO_GROUP' }, o.acme_root)).data
    expect((await detail()).response.content).toContain(code.qrcode_kid)
    expect(await log_text()).not.toContain(new URL(code.content).searchParams.get('qr'))
    const input = { sn: 'SN-UNKNOWN', registration_code: 'SECRE7', terminal_group_kid: 'NO_GROUP' }
    expect((await o.call(manual_registered, input, o.acme_root)).result).toBe(40020)
    expect((await detail()).request.content).toContain('SN-UNKNOWN')
    expect(await log_text()).not.toContain('SECRE7')
    const rows = [{ sn: 'SN-UNKNOWN', work_order: 'WO', verification_code: 'SECRE8' }]
    await o.call(
      contract.terminalBatch.calls.batch_registered as never,
      { terminalDtos: rows, schedule_version: 'secret' } as never,
      o.acme_root,
    )
    expect(await log_text()).not.toContain('SECRE8')
  })
})

describe('a user limited to groups', () => {
  it('reads what they did themselves and what was done to their devices, and no more', async () => {
    const account_kid = o.acme.kid
    const [mine, other] = [newKid(), newKid()]
    await o.deps.db
      .insertInto('terminal_group')
      .values([mine, other].map((kid) => ({ kid, account_kid, parent_kid: null, name: kid, depth: 1 })))
      .execute()
    const [here, there] = [
      await addTerminal(o.deps, account_kid, { terminal_group_kid: mine }),
      await addTerminal(o.deps, account_kid, { terminal_group_kid: other }),
    ]
    const limited = await o.person(3, account_kid, 'limited', ['operationLogList', 'deviceList*'])
    await o.deps.db
      .insertInto('terminal_group_user_manged')
      .values({ account_kid, user_kid: limited.kid, terminal_group_kid: mine })
      .execute()
    const { update } = contract.terminal.calls
    await o.call(update, { kid: here, name: 'Here by root' }, o.acme_root)
    await o.call(update, { kid: there, name: 'There by root' }, o.acme_root)
    await o.call(save_preferences, { language: 'en' }, o.acme_root)
    await o.call(save_preferences, { map_type: '1' }, limited)
    await o.call(
      contract.terminal.calls.move_group_batch,
      { terminal_kids: [here, there], terminal_group_kid: mine },
      o.acme_root,
    )
    await o.call(
      contract.terminal.calls.move_group_batch,
      { terminal_kids: [there], terminal_group_kid: other },
      o.acme_root,
    )
    const task = {
      type: 'message' as const,
      payload: { title: 'To both', text: 'Hello' },
      terminal_kids: [here, there],
    }
    const pusher = await o.person(1, account_kid, 'acme.pusher', ['*'])
    const pushed = await o.call(contract.pushTask.calls.insert, task, pusher)

    expect(pushed.result).toBe(1)
    const { data } = await o.call(log.paging, { page_size: 200 }, limited)
    const seen = data.items.map((row) => `${row.operator_username} ${row.action_code}`)
    expect(seen.filter((row) => row.startsWith('limited'))).toEqual(['limited save_preferences'])
    expect(seen).toEqual(['acme.pusher insert', 'acme move_group_batch', 'limited save_preferences', 'acme update'])
    expect(data.items[0]).toMatchObject({ objects: [{ name: 'To both' }] })
    expect(data.items[0]!.change).toBe('Sends the message “To both” to 2 devices.')
    const [by_pusher] = (await o.call(log.paging, { operator_kid: pusher.kid }, pusher)).data.items
    expect(by_pusher!.change).toMatch(/^Sends the message “To both” to 2 devices \(\S+ and \S+\)\.$/)
    const row = data.items.find(({ action_code }) => action_code === 'move_group_batch')!
    const read = (await o.call(log.get, { kid: row.kid }, limited)).data
    expect(read.tracks.map(({ kid }) => kid)).toEqual([here])
    expect(JSON.stringify(read)).not.toContain(there)
    expect(JSON.stringify(read)).not.toContain('There by root')
    expect(row.objects.map(({ kid }) => kid)).toEqual([here])
    const { sn } = await o.deps.db
      .selectFrom('terminal')
      .select('sn')
      .where('kid', '=', there)
      .executeTakeFirstOrThrow()
    for (const hidden of [{ text: sn }, { object_kid: there }])
      expect((await o.call(log.paging, hidden, limited)).data.items).toEqual([])
    const own = data.items.find(({ operator_username }) => operator_username === 'limited')!
    expect((await o.call(log.get, { kid: own.kid }, limited)).data.request.content).toContain('map_type')
    const all = (await o.call(log.paging, { page_size: 200 }, o.acme_root)).data
    expect(all.total).toBeGreaterThan(data.total)
    const hidden = all.items.find((one) => !data.items.some(({ kid }) => kid === one.kid))!
    expect((await o.call(log.get, { kid: hidden.kid }, limited)).status).toBe(404)
    expect((await o.call(log.list_operator, {}, limited)).data.map((one) => one.operator_username).toSorted()).toEqual([
      'acme',
      'acme.pusher',
      'limited',
    ])
    await o.deps.db
      .deleteFrom('operation_log')
      .where('operator_kid', 'in', [limited.kid, pusher.kid, o.acme_root.kid])
      .execute()
    await o.deps.db.deleteFrom('user_account').where('kid', 'in', [limited.kid, pusher.kid]).execute()
  })
})

describe('signing in', () => {
  const signIn = async (username: string, password: string) => {
    const { puzzle_kid, work_bits } = (await o.call(puzzle, {})).data
    await o.deps.clock.advance(2_000)
    const { offset_x: x } = await o.deps.db
      .selectFrom('puzzle')
      .select('offset_x')
      .where('kid', '=', puzzle_kid)
      .executeTakeFirstOrThrow()
    const track = [0, x].map((at, i) => ({ x: at, t: i * 800 }))
    const { puzzle_token } = (
      await o.call(check_puzzle, { puzzle_kid, x, track, work: workFor(puzzle_kid, work_bits) })
    ).data
    return o.call(login, { username, password: clientHash(password), puzzle_token })
  }

  it('is recorded as done by who signed in, or by the name that was tried, and without secrets', async () => {
    const { token } = (await signIn('globex', testPassword)).data as { token: string }
    expect(await detail()).toMatchObject({
      module_code: 'login',
      action_code: 'login',
      result: 1,
      client: { access_type: 'api' },
      operator_kid: o.globex_root.kid,
      operator_username: 'globex',
      account_kid: o.globex.kid,
    })
    const rows = JSON.stringify(await o.deps.db.selectFrom('operation_log').selectAll().execute())
    for (const secret of [token, clientHash(testPassword)]) expect(rows).not.toContain(secret)

    await signIn('Intruder', 'Wrong-2026!')
    expect(await newest()).toMatchObject({
      operator_kid: null,
      operator_username: 'Intruder',
      account_kid: null,
      result: 41001,
      message: 'The login name or the password is wrong.',
    })
    await o.call(logout, {}, { token })
    expect(await newest()).toMatchObject({ action_code: 'logout', operator_username: 'globex' })
  })

  it('by strangers who send no name fills nothing', async () => {
    const before = await count()
    await o.call(login, {} as never)
    expect(await count()).toBe(before)
  })
})

describe('what it was done to', () => {
  it('is named as it was called then, links to it, and is found by its name and by itself', async () => {
    const { insert, update, delete: remove } = contract.terminalGroup.calls
    const { kid } = (await o.call(insert, { name: 'Dock Bến' }, o.acme_root)).data
    await o.call(update, { kid, name: 'Dock C' }, o.acme_root)
    await o.call(remove, { kid }, o.acme_root)
    const rows = async (input: object) => (await o.call(log.paging, input, o.acme_root)).data.items
    const said = (await rows({ object_kid: kid })).map(({ objects, change }) => [objects[0]!.name, change])
    expect(said).toEqual([
      ['Dock C', 'deleted Dock C'],
      ['Dock C', 'renamed to Dock C'],
      ['Dock Bến', 'created Dock Bến'],
    ])
    expect((await rows({ text: 'dock bến' })).map(({ action_code }) => action_code)).toEqual(['insert'])
    expect(await rows({ object_kid: newKid() })).toEqual([])
    expect((await o.call(log.paging, { object_kid: kid }, o.globex_root)).data.items).toEqual([])
  })

  it('is the first three of many', async () => {
    const kids = await Promise.all(Array.from({ length: 4 }, () => addTerminal(o.deps, o.acme.kid)))
    const to = { terminal_kids: kids, terminal_group_kid: 'NO_GROUP' }
    expect((await o.call(contract.terminal.calls.move_group_batch, to, o.acme_root)).result).toBe(1)
    const [row] = (await o.call(log.paging, {}, o.acme_root)).data.items
    expect(row).toMatchObject({ object_count: 4, objects: [{ table_name: 'Device' }, {}, {}] })
    expect(row!.objects.every(({ name }) => name !== '')).toBe(true)
    await o.deps.db.deleteFrom('operation_log').where('operator_kid', '=', o.acme_root.kid).execute()
  })
})

describe('the list', () => {
  it('of an account has its own rows only, and another account’s row is not found', async () => {
    await o.call(save_preferences, { language: 'en' }, o.acme_root)
    await o.call(save_preferences, { language: 'en' }, o.globex_root)
    const mine = (await o.call(log.paging, {}, o.acme_root)).data.items
    expect(new Set(mine.map((row) => row.account_kid))).toEqual(new Set([o.acme.kid]))
    expect((await o.call(log.get, { kid: mine[0]!.kid }, o.acme_root)).data.kid).toBe(mine[0]!.kid)
    expect((await o.call(log.get, { kid: mine[0]!.kid }, o.globex_root)).status).toBe(404)
    expect((await o.call(opsLog.paging, {}, o.acme_root)).status).toBe(403)
    expect((await o.call(opsLog.get, { kid: mine[0]!.kid }, o.operator)).data.account_name).toBe('Acme')
  })

  it('is filtered by result, action, time and text, the names of actions included', async () => {
    const rows = async (input: object, lang = 'en') =>
      (await o.call(opsLog.paging, { page_size: 200, ...input }, { token: o.operator.token, lang })).data.items
    for (const row of await rows({ result: 'failure' })) expect(row.result).not.toBe(1)
    expect((await rows({ result: 'success' })).length).toBeGreaterThan(0)
    const logins = await rows({ module_code: 'login', action_code: 'login' })
    expect(logins.map((row) => row.operator_username)).toEqual(['Intruder', 'globex'])
    expect((await rows({ text: 'intruder' })).map((row) => row.operator_username)).toEqual(['Intruder'])
    expect((await rows({ text: 'Lưu tùy chọn' }, 'vi')).every((row) => row.action_code === 'save_preferences')).toBe(
      true,
    )
    expect((await rows({ text: 'Lưu tùy chọn' }, 'vi')).length).toBe(2)
    expect(await rows({ text: '%' })).toEqual([])
    expect(await rows({ to: '2026-01-01T00:00:00Z' })).toEqual([])
    expect((await rows({ from: '2026-01-01T00:00:00Z' })).length).toBe(await count())
    expect((await o.call(opsLog.paging, { from: 'yesterday' }, o.operator)).result).toBe(10000)
    expect((await o.call(opsLog.paging, { text: 'a\0' }, o.operator)).result).toBe(10000)
  })

  it('is of one operator, also in another account than the own, and only as far as the log goes', async () => {
    await o.call(save_preferences, { language: 'en' }, o.acme_person)
    const by = async (call: typeof log.paging, operator_kid: string, as: As) =>
      (await o.call(call, { operator_kid, page_size: 200 }, as)).data.items
    const own = await by(log.paging, o.acme_person.kid, o.acme_root)
    expect(own.map((row) => row.operator_username)).toEqual(['acme.person'])
    expect(await by(log.paging, o.globex_root.kid, o.acme_root)).toEqual([])
    const anywhere = await by(opsLog.paging, o.globex_root.kid, o.operator)
    expect(new Set(anywhere.map((row) => row.operator_kid))).toEqual(new Set([o.globex_root.kid]))
    expect((await o.call(log.paging, { operator_kid: 'x' }, o.acme_root)).result).toBe(10000)
  })

  it('offers the people of the account, and everyone to the provider', async () => {
    const names = async (call: typeof log.list_operator | typeof opsLog.list_operator, input: object, as: As) =>
      (await o.call(call, input, as)).data.map((row) => row.operator_username)
    expect(await names(log.list_operator, {}, o.acme_root)).toEqual(['acme', 'acme.person'])
    expect(await names(log.list_operator, { text: 'PERSON' }, o.acme_root)).toEqual(['acme.person'])
    expect(await names(log.list_operator, { text: 'globex' }, o.acme_root)).toEqual([])
    expect(await names(opsLog.list_operator, { text: 'of g' }, o.operator)).toEqual(['globex'])
    expect(await names(opsLog.list_operator, { text: '%' }, o.operator)).toEqual([])
    expect((await o.call(opsLog.list_operator, {}, o.operator)).data.length).toBeGreaterThan(3)
    expect((await o.call(opsLog.list_operator, {}, o.acme_root)).status).toBe(403)
  })

  it('is paged newest first without gaps', async () => {
    for (let i = 0; i < 5; i++) await o.call(save_preferences, { map_type: '1' }, o.acme_root)
    const all = (await o.call(log.paging, { page_size: 200 }, o.acme_root)).data
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = (await o.call(log.paging, { page_size: 3, ...(after ? { after } : {}) }, o.acme_root)).data
      seen.push(...page.items.map((row) => row.kid))
      after = page.next ?? undefined
    } while (after)
    expect(seen).toEqual(all.items.map((row) => row.kid))
    expect(all.total).toBe(seen.length)
  })

  it.each(['x', Buffer.from('["created_at","desc","x","00000000-0000-0000-0000-000000000000"]').toString('base64url')])(
    'refuses a cursor that is not one of its own: %s',
    async (after) => {
      expect((await o.call(log.paging, { after }, o.acme_root)).result).toBe(10000)
    },
  )
})
