import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { newSecret } from '../../../lib/ids.ts'
import { localPath } from './oidc.ts'
import { browser, startProvider } from '../../../testing/oidc-provider.ts'
import type { Claims, TestProvider } from '../../../testing/oidc-provider.ts'

const people: Record<string, Claims> = {}
let provider: TestProvider
let world: TestHttpServer
let count = 0
beforeAll(async () => {
  provider = await startProvider(people)
  world = await testHttpServer()
  world.deps.config.public_url = world.url
  provider.register(`${world.url}/login/oidc/callback`)
  const { issuer, client } = provider
  world.deps.config.oidc = { issuer, name: 'Acme SSO', ...client }
})
afterAll(async () => {
  expect(world.internal_errors).toEqual([])
  await world.close()
  await provider.close()
})

/** Somebody here and at the provider, with the same e-mail address; linked unless said otherwise. */
async function somebody({ is_linked = true, ...claims }: Partial<Claims> & { is_linked?: boolean } = {}) {
  const subject = `subject-${count++}`
  const email = `${subject}@example.com`
  const person = await world.person(['deviceList'])
  await world.deps.db.updateTable('user_account').set({ email }).where('kid', '=', person.user_kid).execute()
  people[subject] = { email: email.toUpperCase(), email_verified: true, ...claims }
  const at = world.deps.clock.now()
  const link = { issuer: provider.issuer, subject, user_kid: person.user_kid, created_at: at, last_use_at: at }
  if (is_linked) await world.deps.db.insertInto('user_identity').values(link).execute()
  return { ...person, subject, email }
}
const callback = () => `${world.url}/login/oidc/callback`
/** The whole way; what the console finds in the fragment of its address at the end. */
async function walk(subject: string | undefined, query = '', at = browser()) {
  const back = await at.signInAtProvider(`${world.url}/login/oidc${query}`, subject, callback())
  const answer = await at.open(back)
  const location = answer.headers.get('location')!
  const [page, fragment] = location.split('#') as [string, string]
  return { at, back, answer, page, said: Object.fromEntries(new URLSearchParams(fragment)) }
}
const exchange = (exchange_token: string, cookie: string) =>
  world.call('/api/login/exchange', { method: 'POST', body: JSON.stringify({ exchange_token }), headers: { cookie } })
async function signIn(subject: string) {
  const { said, at } = await walk(subject)
  return exchange(said['exchange_token'] ?? '', at.cookieFor(world.url))
}

describe('signing in with OpenID Connect', () => {
  it('is offered when it is set up', async () => {
    const options = await world.call('/api/login/options')
    expect(options.body.data).toMatchObject({ oidc: { name: 'Acme SSO', url: '/login/oidc' } })
    const { oidc, ...rest } = world.deps.config
    Object.assign(world.deps, { config: { ...rest, oidc: undefined } })
    expect((await world.call('/api/login/options')).body.data).toMatchObject({ oidc: null })
    expect((await world.call('/login/oidc')).status).toBe(404)
    Object.assign(world.deps, { config: { ...rest, oidc } })
  })

  it('leads through the provider to a session, and its tokens are in no address that a server sees', async () => {
    const { subject, user_kid } = await somebody()
    const { said, page, answer, at } = await walk(subject, '?redirect=%2Fdevices%3Fpage%3D2')
    expect(page).toBe('/login')
    expect(said).toEqual({
      exchange_token: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      redirect: '/devices?page=2',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^mdm_oidc=\w{64}; Path=\/; Max-Age=60; HttpOnly; SameSite=Lax$/)
    const reply = await exchange(said['exchange_token']!, at.cookieFor(world.url))
    expect(reply.body).toMatchObject({ result: 1, data: { user_kid, permissions: ['deviceList'] } })
    const { token } = reply.body.data as { token: string }
    const session = await world.call('/api/login/session', { headers: { authorization: `Bearer ${token}` } })
    expect(session.body.result).toBe(1)
    for (const secret of [token, said['exchange_token']!]) expect(at.visited.join(' ')).not.toContain(secret)
    const rows = await world.deps.db
      .selectFrom('operation_log')
      .selectAll()
      .where('operator_kid', '=', user_kid)
      .execute()
    expect(rows).toMatchObject([{ module_code: 'login', action_code: 'exchange', result: 1 }])
    for (const secret of [token, said['exchange_token']!]) expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('asks the provider with state, nonce and PKCE, for this server’s own address', async () => {
    const start = await browser().open(`${world.url}/login/oidc`)
    const asked = new URL(start.headers.get('location')!)
    expect(asked.origin).toBe(provider.issuer)
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: callback(),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^\w{64}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    })
    expect(start.headers.getSetCookie()[0]).toMatch(/Max-Age=600; HttpOnly; SameSite=Lax$/)
  })

  it('counts for whoever linked it while signed in, who typed the password, in that browser', async () => {
    const one = await somebody({ is_linked: false })
    const other = await somebody({ is_linked: false })
    const asPerson = (path: string, { bearer }: typeof one, body: object, cookie = '') =>
      world.call(`/api/account/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { ...bearer, cookie },
      })
    const linking = async (subject: string) => {
      const { said, at, page } = await walk(subject, '?link=1')
      expect(page).toBe('/account/index?part=security')
      return { link_token: said['link_token']!, cookie: at.cookieFor(world.url) }
    }
    const { link_token, cookie } = await linking(one.subject)
    expect((await asPerson('oidc_link', one, { link_token }, cookie)).body.result).toBe(41021)
    const confirm = async () => {
      await world.deps.db.updateTable('session').set({ confirmed_at: world.deps.clock.now() }).execute()
      await world.deps.clock.advance(1_001)
    }
    await confirm()
    // It signs nobody in, and an exchange links nothing.
    expect((await exchange(link_token, cookie)).body.result).toBe(41007)
    const { said, at } = await walk((await somebody()).subject)
    const signing = { link_token: said['exchange_token']! }
    expect((await asPerson('oidc_link', one, signing, at.cookieFor(world.url))).body.result).toBe(41007)
    const stolen = await linking(one.subject)
    expect((await asPerson('oidc_link', one, { link_token: stolen.link_token })).body.result).toBe(41007)

    expect((await asPerson('oidc_link', one, { link_token }, cookie)).body.result).toBe(1)
    const info = async () => (await world.call('/api/account/info', { headers: one.bearer })).body.data
    expect(await info()).toMatchObject({ has_oidc: true })
    expect((await signIn(one.subject)).body.data).toMatchObject({ user_kid: one.user_kid })
    for (const [person, subject] of [
      [other, one.subject],
      [one, other.subject],
    ] as const) {
      const again = await linking(subject)
      expect((await asPerson('oidc_link', person, { link_token: again.link_token }, again.cookie)).body.result).toBe(
        41008,
      )
    }
    expect((await asPerson('oidc_unlink', one, {})).body.result).toBe(1)
    expect(await info()).toMatchObject({ has_oidc: false })
    expect((await walk(one.subject)).said).toEqual({ oidc_error: 'oidc_no_user' })
  })

  it.each([{}, { email_verified: false }, { email_verified: undefined }, { email: undefined }])(
    'opens nothing by an e-mail address: %o',
    async (claims) => {
      const { subject } = await somebody({ ...(claims as Claims), is_linked: false })
      expect((await walk(subject, '?redirect=/devices')).said).toEqual({
        oidc_error: 'oidc_no_user',
        redirect: '/devices',
      })
    },
  )

  it('asks for no second factor: that is the provider’s', async () => {
    const { subject, user_kid } = await somebody()
    const totp = { totp_secret: 'sealed', totp_enabled_at: world.deps.clock.now() }
    await world.deps.db.updateTable('user_account').set(totp).where('kid', '=', user_kid).execute()
    expect((await signIn(subject)).body.data).toMatchObject({ user_kid })
  })

  it('is refused to the disabled, the expired and those without a role, and recorded by name', async () => {
    const { subject, user_kid, account_kid } = await somebody()
    const user = (status: 'invalid' | 'normal') =>
      world.deps.db.updateTable('user_account').set({ status }).where('kid', '=', user_kid).execute()
    await user('invalid')
    expect((await signIn(subject)).body.result).toBe(41003)
    await user('normal')
    const expire_time = world.deps.clock.now()
    await world.deps.db.updateTable('account').set({ expire_time }).where('kid', '=', account_kid).execute()
    expect((await signIn(subject)).body.result).toBe(41003)
    await world.deps.db.updateTable('account').set({ expire_time: null }).where('kid', '=', account_kid).execute()
    await world.deps.db.deleteFrom('user_role').where('user_kid', '=', user_kid).execute()
    expect((await signIn(subject)).body.result).toBe(41004)
    const { username } = await world.deps.db
      .selectFrom('user_account')
      .select('username')
      .where('kid', '=', user_kid)
      .executeTakeFirstOrThrow()
    const rows = await world.deps.db
      .selectFrom('operation_log')
      .select(['result', 'operator_kid'])
      .where('operator_username', '=', username)
      .execute()
    expect(rows).toHaveLength(3)
  })
})

describe('what somebody else could try', () => {
  it('an exchange works once, within a minute, in the browser that began', async () => {
    const { subject } = await somebody()
    const first = await walk(subject)
    const cookie = first.at.cookieFor(world.url)
    const token = first.said['exchange_token']!
    const both = await Promise.all([exchange(token, cookie), exchange(token, cookie)])
    expect(both.map((reply) => reply.body.result).toSorted()).toEqual([1, 41007])
    for (const stranger of ['', `mdm_oidc=${'0'.repeat(64)}`, 'mdm_oidc=x']) {
      const { said } = await walk(subject)
      expect((await exchange(said['exchange_token']!, stranger)).body.result).toBe(41007)
    }
    const late = await walk(subject)
    await world.deps.clock.advance(60_000)
    expect((await exchange(late.said['exchange_token']!, late.at.cookieFor(world.url))).body.result).toBe(41007)
  })

  it('the way back leads nowhere in another browser, a second time, or after ten minutes', async () => {
    const { subject } = await somebody()
    const failed = { oidc_error: 'oidc_failed' }
    const saidBy = async (response: Response) =>
      Object.fromEntries(new URLSearchParams(response.headers.get('location')!.split('#')[1]))
    const at = browser()
    const stolen = await at.signInAtProvider(`${world.url}/login/oidc`, subject, callback())
    expect(await saidBy(await browser().open(stolen))).toEqual(failed)
    expect(await saidBy(await at.open(stolen))).toEqual(failed)
    const { back, at: other } = await walk(subject)
    expect(await saidBy(await other.open(back))).toEqual(failed)
    const slow = browser()
    const late = await slow.signInAtProvider(`${world.url}/login/oidc`, subject, callback())
    await world.deps.clock.advance(600_000)
    expect(await saidBy(await slow.open(late))).toEqual(failed)
    expect(await saidBy(await browser().open(`${callback()}?code=x&state=x`))).toEqual(failed)
    expect(await saidBy(await browser().open(callback()))).toEqual(failed)
  })

  it('a code of another sign-in, or a changed one, is not taken', async () => {
    const { subject } = await somebody()
    const [mine, theirs] = [browser(), browser()]
    const back = new URL(await mine.signInAtProvider(`${world.url}/login/oidc`, subject, callback()))
    const foreign = new URL(await theirs.signInAtProvider(`${world.url}/login/oidc`, subject, callback()))
    back.searchParams.set('code', foreign.searchParams.get('code')!)
    expect((await mine.open(back.href)).headers.get('location')).toBe('/login#oidc_error=oidc_failed')
  })

  it('exchanges are guessed no faster than others sign in', async () => {
    // The tries of the tests before are forgotten.
    await world.deps.clock.advance(15 * 60_000)
    const limit = 60
    const results = []
    for (let i = 0; i < limit + 1; i++) results.push((await exchange(newSecret(), '')).body.result)
    expect(new Set(results.slice(0, limit))).toEqual(new Set([41007]))
    expect(results.at(-1)).toBe(429)
    await world.deps.clock.advance(15 * 60_000)
  })

  it.each([
    ['/devices?page=2#x', '/devices?page=2#x'],
    ['/', '/'],
    ['//evil.example', undefined],
    ['/\\evil.example', undefined],
    ['/.//evil.example', undefined],
    ['/x/..//evil.example', undefined],
    ['/\t/evil.example', undefined],
    ['https://evil.example', undefined],
    ['javascript:alert(1)', undefined],
    ['devices', undefined],
    ['', undefined],
    [`/${'x'.repeat(2000)}`, undefined],
    [['/a', '/b'], undefined],
    [undefined, undefined],
  ])('a redirect to %j leads to %j', (asked, expected) => {
    expect(localPath(asked)).toBe(expected)
  })
})

describe('the provider', () => {
  it('that refuses, or whose person cancels, ends at the sign-in page', async () => {
    expect((await walk(undefined, '?redirect=/devices')).said).toEqual({
      oidc_error: 'oidc_failed',
      redirect: '/devices',
    })
  })

  it('that is down is told at once, and asked again at the next try', async () => {
    const { subject } = await somebody()
    // What is known of it is an hour old.
    await world.deps.clock.advance(3_600_000)
    provider.down(true)
    const start = await browser().open(`${world.url}/login/oidc?redirect=/devices`)
    expect(start.headers.get('location')).toBe('/login#oidc_error=oidc_failed&redirect=%2Fdevices')
    provider.down(false)
    expect((await signIn(subject)).body.result).toBe(1)
  })
})
