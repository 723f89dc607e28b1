import { contract } from '@mdm/contract'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { createSession, endSessions } from './service.ts'
import { confirm, sessionIn, signIn } from '../../../testing/sign-in.ts'

const { totp, login, session } = contract.login.calls
const account = contract.account.calls
const opsLog = contract.opsOperationLog.calls
const minute = 60_000

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const codeOf = (secret: string, off_s = 0) =>
  new TOTP({ secret }).generate({ timestamp: o.deps.clock.now().getTime() + off_s * 1000 })

/** A new person whose sign-in asks for a code; its own code is already spent. */
async function guarded(username: string) {
  const person = await o.person(3, o.acme.kid, username, ['deviceList'])
  const as = { token: person.token }
  await confirm(o, as)
  const { secret, otpauth_url } = (await o.call(account.totp_begin, {}, as)).data
  const enabled = await o.call(account.totp_enable, { totp_code: codeOf(secret) }, as)
  await o.deps.clock.advance(30_000)
  return { ...person, secret, otpauth_url, recovery_tokens: enabled.data.recovery_tokens }
}
async function firstStep(username: string, as?: As) {
  const reply = await signIn(o, username, undefined, as)
  if (!('totp_token' in reply.data)) throw new Error(`no second step: ${reply.result}`)
  return reply.data
}
const second = (totp_token: string, totp_code: string, as?: As) => o.call(totp, { totp_token, totp_code }, as)

describe('setting it up', () => {
  it('asks for the password, then for a code, and shows ten recovery codes once', async () => {
    const person = await o.person(3, o.acme.kid, 'set-up', ['deviceList'])
    const as = { token: person.token }
    expect((await o.call(account.totp_begin, {}, as)).result).toBe(41021)
    expect((await o.call(account.totp_enable, { totp_code: '123456' }, as)).result).toBe(409)
    await confirm(o, as)
    const first = (await o.call(account.totp_begin, {}, as)).data
    const { secret, otpauth_url } = (await o.call(account.totp_begin, {}, as)).data
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(otpauth_url).toBe(`otpauth://totp/MDM:set-up?issuer=MDM&secret=${secret}&algorithm=SHA1&digits=6&period=30`)
    expect((await o.call(account.totp_enable, { totp_code: codeOf(first.secret) }, as)).result).toBe(41005)
    expect((await o.call(account.info, {}, as)).data).toMatchObject({ has_totp: false, recovery_codes_left: 0 })
    const { recovery_tokens } = (await o.call(account.totp_enable, { totp_code: codeOf(secret) }, as)).data
    expect(new Set(recovery_tokens).size).toBe(10)
    for (const code of recovery_tokens) expect(code).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/)
    expect((await o.call(account.info, {}, as)).data).toMatchObject({ has_totp: true, recovery_codes_left: 10 })
    for (const again of [account.totp_begin, account.totp_enable])
      expect((await o.call(again, { totp_code: codeOf(secret) } as never, as)).result).toBe(409)

    const rows = await o.deps.db.selectFrom('user_account').selectAll().where('kid', '=', person.kid).execute()
    const kept = JSON.stringify([rows, await o.deps.db.selectFrom('operation_log').selectAll().execute()])
    for (const hidden of [secret, first.secret, codeOf(secret), ...recovery_tokens]) expect(kept).not.toContain(hidden)
  })

  it('takes digits as any keyboard writes them, and refuses what is none without failing', async () => {
    const full = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
    const person = await o.person(3, o.acme.kid, 'full-width', ['deviceList'])
    await confirm(o, person)
    const { secret } = (await o.call(account.totp_begin, {}, person)).data
    for (const totp_code of ['abcdef', '١٢٣٤٥٦', full('12345'), '€€€€€€'])
      expect([41005, 10000]).toContain((await o.call(account.totp_enable, { totp_code }, person)).result)
    const spaced = ` ${full(codeOf(secret)).replace(/^.../, '$&\u3000')} `
    expect((await o.call(account.totp_enable, { totp_code: spaced }, person)).result).toBe(1)
    await o.deps.clock.advance(30_000)
    const { totp_token } = await firstStep('full-width')
    expect((await second(totp_token, full(codeOf(secret)))).result).toBe(1)
  })

  it('is switched off by its owner, who types the password again', async () => {
    const person = await guarded('switch-off')
    expect((await o.call(account.totp_disable, {}, person)).result).toBe(1)
    expect((await o.call(account.info, {}, person)).data).toMatchObject({ has_totp: false, recovery_codes_left: 0 })
    expect((await signIn(o, 'switch-off')).data).toMatchObject({ username: 'switch-off' })
    const token = await createSession(o.deps, person.kid, { address: '192.0.2.1', user_agent: '' })
    expect((await o.call(account.totp_disable, {}, { token })).result).toBe(41021)
  })
})

describe('the second step', () => {
  it('gives the session that the first step did not', async () => {
    const { secret } = await guarded('two-steps')
    const reply = await signIn(o, 'Two-Steps')
    expect(Object.keys(reply.data).toSorted()).toEqual(['expires_at', 'totp_token'])
    const { totp_token, expires_at } = await firstStep('two-steps')
    expect(new Date(expires_at).getTime() - o.deps.clock.now().getTime()).toBe(5 * minute)
    expect((await o.call(session, {}, { token: totp_token })).status).toBe(401)
    const done = sessionIn(await second(totp_token, codeOf(secret)))
    expect(done).toMatchObject({ username: 'two-steps', account_name: 'Acme' })
    expect((await o.call(session, {}, { token: done.token })).result).toBe(1)
    expect((await second(totp_token, codeOf(secret, 30))).result).toBe(41006)
  })

  it.each([
    [-60, 41005],
    [-30, 1],
    [0, 1],
    [30, 1],
    [60, 41005],
  ])('takes the code of %i seconds from now: %i', async (off, result) => {
    const username = `window${off}`
    const { secret } = await guarded(username)
    await o.deps.clock.advance(minute)
    const { totp_token } = await firstStep(username)
    expect((await second(totp_token, codeOf(secret, off))).result).toBe(result)
  })

  it('takes no code twice, nor one older than the last', async () => {
    const { secret } = await guarded('replayed')
    await o.deps.clock.advance(minute)
    const [one, two, three] = [await firstStep('replayed'), await firstStep('replayed'), await firstStep('replayed')]
    const code = codeOf(secret)
    const both = await Promise.all([second(one.totp_token, code), second(two.totp_token, code)])
    expect(both.map((reply) => reply.result).toSorted()).toEqual([1, 41005])
    expect((await second(three.totp_token, code)).result).toBe(41005)
    expect((await second(three.totp_token, codeOf(secret, -30))).result).toBe(41005)
    expect((await second(three.totp_token, codeOf(secret, 30))).result).toBe(1)
  })

  it('takes each recovery code once, however it is typed', async () => {
    const { recovery_tokens, token } = await guarded('recovering')
    const [first, other] = recovery_tokens as [string, string]
    const steps = [await firstStep('recovering'), await firstStep('recovering')]
    const both = await Promise.all(steps.map((step) => second(step.totp_token, ` ${first.toUpperCase()} `)))
    expect(both.map((reply) => reply.result).toSorted()).toEqual([1, 41005])
    const { totp_token } = await firstStep('recovering')
    expect((await second(totp_token, other.replaceAll('-', ''))).result).toBe(1)
    expect((await o.call(account.info, {}, { token })).data.recovery_codes_left).toBe(8)
  })

  it('of somebody else is not opened by one’s own recovery code', async () => {
    const [mine, theirs] = [await guarded('mine'), await guarded('theirs')]
    const { totp_token } = await firstStep('theirs')
    expect((await second(totp_token, mine.recovery_tokens[0]!)).result).toBe(41005)
    expect((await second(totp_token, theirs.recovery_tokens[0]!)).result).toBe(1)
  })

  it('lasts five minutes, and ends with a password or role change', async () => {
    const person = await guarded('slow')
    const late = await firstStep('slow')
    await o.deps.clock.advance(5 * minute)
    expect((await second(late.totp_token, codeOf(person.secret))).result).toBe(41006)
    const { totp_token } = await firstStep('slow')
    await endSessions(o.deps, person.kid)
    expect((await second(totp_token, codeOf(person.secret))).result).toBe(41006)
    for (const nonsense of ['', 'x', 'f'.repeat(64)]) expect((await second(nonsense, '123456')).result).toBe(41006)
  })

  it('is refused to who was disabled, or lost all roles, meanwhile', async () => {
    const person = await guarded('disabled-between')
    const { totp_token } = await firstStep('disabled-between')
    const set = (status: 'invalid' | 'normal') =>
      o.deps.db.updateTable('user_account').set({ status }).where('kid', '=', person.kid).execute()
    await set('invalid')
    expect((await second(totp_token, codeOf(person.secret))).result).toBe(41003)
    await set('normal')
    await o.deps.db.deleteFrom('user_role').where('user_kid', '=', person.kid).execute()
    expect((await second(totp_token, codeOf(person.secret, 30))).result).toBe(41004)
  })
})

describe('guessing the code', () => {
  it('ends the step after five tries and locks the name, which the password does not unlock', async () => {
    const { secret } = await guarded('guessed-code')
    const as = { address: '198.51.100.20' }
    const { totp_token } = await firstStep('guessed-code', as)
    const tries = await Promise.all(Array.from({ length: 8 }, () => second(totp_token, '000000', as)))
    expect(tries.filter((reply) => reply.result === 41005)).toHaveLength(5)
    expect(tries.filter((reply) => reply.result === 41006)).toHaveLength(3)
    expect((await signIn(o, 'guessed-code')).result).toBe(41002)
    await o.deps.clock.advance(15 * minute)
    const { totp_token: fresh } = await firstStep('guessed-code')
    expect((await second(fresh, codeOf(secret))).result).toBe(1)
  })

  it('counts over several sign-ins with the right password', async () => {
    await guarded('patient')
    for (let i = 0; i < 5; i++)
      expect((await second((await firstStep('patient')).totp_token, '000000')).result).toBe(41005)
    expect((await signIn(o, 'patient')).result).toBe(41002)
  })
})

it('the operation log has no sign-in before the second step, and names who failed it', async () => {
  const { secret } = await guarded('logged')
  const rows = async () =>
    (await o.call(opsLog.paging, { module_code: 'login', text: 'logged', page_size: 50 }, o.operator)).data.items
  const { totp_token } = await firstStep('logged')
  const before = await rows()
  expect(before.filter((row) => row.action_code === login.key)).toEqual([])
  await second(totp_token, '000000')
  expect((await rows())[0]).toMatchObject({
    action_code: 'totp',
    result: 41005,
    operator_username: 'logged',
    operator_kid: null,
  })
  const { token } = sessionIn(await second(totp_token, codeOf(secret)))
  expect((await rows())[0]).toMatchObject({ action_code: 'totp', result: 1, operator_name: 'Name of logged' })
  const kept = JSON.stringify(await o.deps.db.selectFrom('operation_log').selectAll().execute())
  for (const hidden of [totp_token, token, codeOf(secret), '000000']) expect(kept).not.toContain(hidden)
})
