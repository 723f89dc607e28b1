import { contract } from '@mdm/contract'
import type { Invitation, Session } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { clientHash, noPassword } from '../../../lib/passwords.ts'
import { sharedHash } from '../../../lib/shared-hash.ts'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { sessionIn, signIn, solve } from '../../../testing/sign-in.ts'
import { startSmtp, subjectOf } from '../../../testing/smtp.ts'
import { createAccount, createRole, createUser } from '../account/index.ts'
import { mails } from '../mail/index.ts'
import { forgottenPasswords } from './forgotten.ts'
import { createSession } from './service.ts'

const { forgot_password, read_link, set_password, options } = contract.login.calls
const { insert, invite, get, set_status, update } = contract.userAccount.calls
const [hour, day] = [3_600_000, 24 * 3_600_000]
const own = clientHash('Mine-2026!')

let o: TestApi
let account_kid: string
let role_kid: string
let boss: As
let smtp: Awaited<ReturnType<typeof startSmtp>>
beforeAll(async () => {
  ;[o, smtp] = await Promise.all([testApi(), startSmtp()])
  account_kid = (await createAccount(o.deps.db, { name: newKid(), type: 1 })).kid
  const admin = { account_kid, code: 'admin', name: 'Administrator', permissions: ['*'], weight: 1000 }
  const admin_kid = (await createRole(o.deps.db, admin)).kid
  const clerk = { account_kid, code: 'clerk', name: 'Clerk', permissions: ['deviceList'], parent_kid: admin_kid }
  role_kid = (await createRole(o.deps.db, clerk)).kid
  const root = { account_kid, type: 1 as const, username: newKid().slice(-12), name: 'Root', password_hash: noPassword }
  const { kid } = await createUser(o.deps.db, { ...root, role_kids: [admin_kid] })
  const token = await createSession(o.deps, kid, { address: '192.0.2.1', user_agent: '' })
  await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).where('user_kid', '=', kid).execute()
  boss = { token }
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await smtp?.close()
  await o?.close()
})

const draft = (more: object = {}) => ({
  username: newKid().slice(-12),
  name: 'Hoa Trần',
  role_kids: [role_kid],
  ...more,
})
const tokenOf = (text: string) => /set-password#token=([0-9a-f]{64})/.exec(text.replaceAll(/=\r?\n/g, ''))![1]!
const tokenIn = ({ invitation }: { invitation: Invitation | null }) => tokenOf(invitation!.link_with_token!)
const set = (link_token: string, password = own) => o.call(set_password, { link_token, password })
/** What was mailed to the address since. */
async function mailTo(address: string) {
  wake(o.deps, forgottenPasswords)
  await backgroundAtRest(o.deps)
  wake(o.deps, mails)
  await backgroundAtRest(o.deps)
  return smtp.mails.filter((mail) => mail.includes(`To: ${address}`))
}
async function withMail<T>(work: () => Promise<T>): Promise<T> {
  o.deps.config.smtp = smtp.settings
  try {
    return await work()
  } finally {
    o.deps.config.smtp = null
  }
}

describe('an invitation', () => {
  it('is handed over where no mail can be sent, sets the own password once and signs in', async () => {
    const person = draft()
    const made = (await o.call(insert, person, boss)).data
    expect(made.invitation).toMatchObject({ sent_to: null })
    const got = await o.call(get, { kid: made.kid }, boss)
    expect(got.message).toBe('')
    const seen = got.data
    expect(seen).toMatchObject({ state: 'init', invitation: { mail: null }, can: expect.arrayContaining(['invite']) })
    // Without a password no password is right.
    expect((await signIn(o, person.username, 'none')).result).toBe(41001)
    const token = tokenIn(made)
    expect((await o.call(read_link, { link_token: token })).data).toMatchObject({
      kind: 'invitation',
      username: person.username,
      name: 'Hoa Trần',
    })
    expect((await set(token, clientHash(person.username))).result).toBe(10000)
    const session = sessionIn(await set(token))
    expect(session).toMatchObject({ username: person.username })
    expect((await set(token)).result).toBe(41015)
    expect((await o.call(read_link, { link_token: token })).result).toBe(41015)
    expect((await signIn(o, person.username, 'Mine-2026!')).result).toBe(1)
    expect((await o.call(get, { kid: made.kid }, boss)).data).toMatchObject({ state: 'normal', invitation: null })
    expect((await o.call(invite, { kid: made.kid }, boss)).result).toBe(41017)
    // The log says who set it, and holds no token.
    const logged = await o.deps.db
      .selectFrom('operation_log')
      .select(['action_code', 'operator_username', 'request', 'response'])
      .where('operator_kid', '=', made.kid)
      .execute()
    expect(logged.map(({ action_code }) => action_code)).toContain('set_password')
    const all = await o.deps.db.selectFrom('operation_log').select(['request', 'response']).execute()
    expect(JSON.stringify(all)).not.toContain(token)
  })

  it('goes by mail in the language of who invites, and the database holds its link only while it waits', () =>
    withMail(async () => {
      const email = 'hoa@example.com'
      const made = (await o.call(insert, draft({ email }), { ...boss, lang: 'vi' })).data
      expect(made.invitation).toMatchObject({ sent_to: email, link_with_token: null })
      const [mail] = await mailTo(email)
      expect(subjectOf(mail!)).toBe('Bạn được mời vào MDM')
      const token = tokenOf(mail!)
      const rows = await o.deps.db.selectFrom('mail').selectAll().where('address', '=', email).execute()
      expect(rows).toMatchObject([{ kind: 'invitation', state: 'sent', body: '', body_sealed: null }])
      expect(JSON.stringify(await o.deps.db.selectFrom('password_link').selectAll().execute())).not.toContain(token)
      expect((await o.call(get, { kid: made.kid }, boss)).data.invitation).toMatchObject({ mail: 'sent' })
      // Another address than the one that it was sent to: whoever reads the first is not meant.
      await o.deps.db.updateTable('user_account').set({ email: 'x@example.com' }).where('kid', '=', made.kid).execute()
      expect((await set(token)).result).toBe(41015)
    }))

  it('ends with a newer one, in time, with disabling and with a password that somebody else sets', async () => {
    const person = draft()
    const made = (await o.call(insert, person, boss)).data
    const first = tokenIn(made)
    const second = tokenIn({ invitation: (await o.call(invite, { kid: made.kid }, boss)).data })
    expect((await set(first)).result).toBe(41015)
    // Other roles do not uninvite.
    await o.call(update, { ...person, kid: made.kid, role_kids: [role_kid], password: null }, boss)
    expect((await o.call(read_link, { link_token: second })).result).toBe(1)
    await o.call(set_status, { kid: made.kid, status: 'invalid' }, boss)
    expect((await o.call(invite, { kid: made.kid }, boss)).result).toBe(404)
    await o.call(set_status, { kid: made.kid, status: 'normal' }, boss)
    expect((await set(second)).result).toBe(41015)
    const third = tokenIn({ invitation: (await o.call(invite, { kid: made.kid }, boss)).data })
    await o.call(update, { ...person, kid: made.kid, password: clientHash('Given-2026!') }, boss)
    expect((await set(third)).result).toBe(41015)

    const late = tokenIn((await o.call(insert, draft(), boss)).data)
    await o.deps.clock.advance(7 * day)
    expect((await set(late)).result).toBe(41015)
  })

  it('sets one password when it is followed twice at one moment', async () => {
    const token = tokenIn((await o.call(insert, draft(), await fresh())).data)
    const both = await Promise.all([set(token), set(token, clientHash('Other-2026!'))])
    expect(both.map(({ result }) => result).toSorted((a, b) => a - b)).toEqual([1, 41015])
  })
})

/** Sessions end within days, which a test before may have let pass. */
async function fresh(): Promise<As> {
  const root = await o.deps.db
    .selectFrom('user_account')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .where('type', '=', 1)
    .executeTakeFirstOrThrow()
  return { token: await createSession(o.deps, root.kid, { address: '192.0.2.1', user_agent: '' }) }
}

describe('a forgotten password', () => {
  const ask = async (username: string, as: As = {}) =>
    o.call(forgot_password, { username, puzzle_token: (await solve(o, as)).data.puzzle_token }, as)
  const person = async (more: object = {}) => {
    const password_hash = await sharedHash('Old-2026!', o.deps.password_cost)
    const user = { account_kid, type: 3 as const, username: newKid().slice(-12), name: 'Minh', password_hash }
    const email = `${user.username}@example.com`
    return { ...user, email, ...(await createUser(o.deps.db, { ...user, email, role_kids: [role_kid], ...more })) }
  }

  it('is no matter of a server that sends no mail', async () => {
    expect((await o.call(options, {})).data.forgot_password).toBe(false)
    expect((await ask('anybody')).result).toBe(41016)
  })

  it('has the same answer for every name, and who has an address gets a link that ends all sessions', () =>
    withMail(async () => {
      const user = await person({ language: 'zh-cn' })
      const without = await person({ email: undefined })
      const disabled = await person({ status: 'invalid' })
      const before = smtp.mails.length
      const as = (n: number) => ({ address: `198.51.100.${n}` })
      const answers = [
        await ask(user.email.toUpperCase(), as(1)),
        await ask('nobody.at.all', as(1)),
        await ask(without.username, as(1)),
        await ask(disabled.username, as(1)),
      ]
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(answers[0]).toMatchObject({ result: 1, data: {} })
      const [mail] = await mailTo(user.email)
      expect(smtp.mails.length).toBe(before + 1)
      expect(subjectOf(mail!)).toBe('设置新密码')
      const open = await createSession(o.deps, user.kid, { address: '192.0.2.4', user_agent: '' })
      const session = sessionIn(await set(tokenOf(mail!)))
      expect((await o.call(contract.login.calls.session, {}, { token: open })).result).toBe(401)
      expect((await o.call(contract.login.calls.session, {}, { token: session.token })).result).toBe(1)
      expect((await signIn(o, user.username, 'Old-2026!')).result).toBe(41001)
      expect((await signIn(o, user.username, 'Mine-2026!')).result).toBe(1)
      const asked = await o.deps.db
        .selectFrom('operation_log')
        .select(['operator_username', 'account_kid'])
        .where('action_code', '=', 'forgot_password')
        .where('operator_username', '=', 'nobody.at.all')
        .execute()
      expect(asked).toEqual([{ operator_username: 'nobody.at.all', account_kid: null }])
    }))

  it('asks for the second factor all the same', () =>
    withMail(async () => {
      const user = await person()
      await o.deps.db
        .updateTable('user_account')
        .set({ totp_secret: 'sealed', totp_enabled_at: o.deps.clock.now() })
        .where('kid', '=', user.kid)
        .execute()
      await ask(user.username)
      const [mail] = await mailTo(user.email)
      const { data } = await set(tokenOf(mail!))
      expect(data).toMatchObject({ totp_token: expect.any(String) })
      expect((data as Partial<Session>).token).toBeUndefined()
      const { password_hash } = await o.deps.db
        .selectFrom('user_account')
        .select('password_hash')
        .where('kid', '=', user.kid)
        .executeTakeFirstOrThrow()
      expect(password_hash).toMatch(/^scrypt/)
    }))

  it('is limited for a place, and for a person whatever the place; its link ends in an hour and with a new password', () =>
    withMail(async () => {
      const user = await person()
      for (let n = 0; n < 5; n++) await ask(user.username, { address: `203.0.113.${100 + n}` })
      const mailed = await mailTo(user.email)
      expect(mailed.length).toBe(3)
      // The newest only.
      expect((await set(tokenOf(mailed[1]!))).result).toBe(41015)
      await o.deps.clock.advance(hour)
      expect((await set(tokenOf(mailed[2]!))).result).toBe(41015)
      const as = { address: '203.0.113.200' }
      for (let n = 0; n < 10; n++) expect((await ask(`name.${n}`, as)).result).toBe(1)
      expect((await ask('one.more', as)).result).toBe(429)
      await o.deps.clock.advance(hour)
      await ask(user.username)
      const link = tokenOf((await mailTo(user.email))[3]!)
      const changed = { ...draft(), kid: user.kid, email: user.email, password: clientHash('Given-2026!') }
      expect((await o.call(update, changed, await fresh())).message).toBe('')
      expect((await set(link)).result).toBe(41015)
    }))
})
