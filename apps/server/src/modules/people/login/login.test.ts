import { contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApi, testPassword } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { clientHash, hashPassword } from '../../../lib/passwords.ts'
import { createAccount } from '../account/index.ts'
import { workBits } from './puzzle/puzzle.ts'
import { endSessions } from './service.ts'
import { sessionIn, signIn as signInAs, solve as solvePuzzle, workFor } from '../../../testing/sign-in.ts'

const { puzzle, check_puzzle, login, session } = contract.login.calls
const minute = 60_000

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const solve = (as?: As, more?: Parameters<typeof solvePuzzle>[2]) => solvePuzzle(o, as, more)
const signIn = (username: string, password?: string, as?: As) => signInAs(o, username, password, as)

describe('the puzzle', () => {
  it('gives a token for its right answer, once', async () => {
    const { puzzle_kid, piece_size, width } = (await o.call(puzzle, {})).data
    expect([piece_size, width]).toEqual([52, 300])
    expect((await solve({}, { puzzle_kid })).data.puzzle_token).toMatch(/^[0-9a-f]{64}$/)
    expect((await solve({}, { puzzle_kid })).result).toBe(41014)
  })

  it('costs who fails more and more, and who has not failed nothing', async () => {
    const as = { address: '203.0.113.77' }
    const bits = async () => (await o.call(puzzle, {}, as)).data.work_bits
    expect(await bits()).toBe(0)
    expect((await solve(as, { off: 9 })).result).toBe(41013)
    expect(await bits()).toBe(10)
    await signIn('nobody', 'Wrong-2026!', as)
    expect(await bits()).toBe(12)
    expect((await o.call(puzzle, {}, { address: '203.0.113.78' })).data.work_bits).toBe(0)
    expect([1, 2, 4, 31, 32, 63, 64, 1_000].map(workBits)).toEqual([10, 12, 14, 18, 20, 20, 22, 22])
    // The right place without the work is worth nothing, and uses the picture up.
    const { puzzle_kid } = (await o.call(puzzle, {}, as)).data
    await o.deps.clock.advance(2_000)
    const { offset_x: x } = await o.deps.db
      .selectFrom('puzzle')
      .select('offset_x')
      .where('kid', '=', puzzle_kid)
      .executeTakeFirstOrThrow()
    const track = [0, x].map((at, i) => ({ x: at, t: i * 800 }))
    expect((await o.call(check_puzzle, { puzzle_kid, x, track, work: 'none' }, as)).result).toBe(41014)
    expect((await solve(as, { puzzle_kid })).result).toBe(41014)
    await o.deps.clock.advance(15 * minute)
    expect(await bits()).toBe(0)
  })

  it('takes one answer, even when two arrive at once or the first was wrong', async () => {
    const { puzzle_kid } = (await o.call(puzzle, {})).data
    expect((await solve({}, { puzzle_kid, off: 9 })).result).toBe(41013)
    expect((await solve({}, { puzzle_kid })).result).toBe(41014)
    const other = (await o.call(puzzle, {})).data.puzzle_kid
    const both = await Promise.all([solve({}, { puzzle_kid: other }), solve({}, { puzzle_kid: other })])
    expect(both.map((reply) => reply.result).toSorted()).toEqual([1, 41014])
  })

  it('is too fast, too slow and expired in the words of the caller', async () => {
    const answer = async (ms: number, wait: number) => {
      const { puzzle_kid, work_bits } = (await o.call(puzzle, {})).data
      await o.deps.clock.advance(wait)
      const track = [
        { x: 0, t: 0 },
        { x: 100, t: ms },
      ]
      return o.call(check_puzzle, { puzzle_kid, x: 100, track, work: workFor(puzzle_kid, work_bits) }, { lang: 'vi' })
    }
    expect(await answer(200, 5_000)).toMatchObject({ result: 41011, message: 'Thao tác quá nhanh. Vui lòng thử lại.' })
    expect((await answer(31_000, 40_000)).result).toBe(41012)
    expect((await answer(1_000, 11 * minute)).result).toBe(41014)
  })

  it('is limited per address', async () => {
    const as = { address: '203.0.113.9' }
    const replies = []
    for (let i = 0; i < 61; i++) replies.push((await o.call(puzzle, {}, as)).result)
    expect(replies.filter((result) => result === 1)).toHaveLength(60)
    expect(replies.at(-1)).toBe(429)
    expect((await o.call(puzzle, {}, { address: '203.0.113.10' })).result).toBe(1)
  })
})

describe('signing in', () => {
  it('answers with the session and a token that works, whatever the case of the name', async () => {
    const reply = await signIn('ACME')
    expect(reply.data).toMatchObject({
      username: 'acme',
      account_type: 1,
      account_kid: o.acme.kid,
      account_name: 'Acme',
      enter_kid: null,
      permissions: ['deviceList*', 'homeIndex', 'operationLogList'],
      roles: [{ code: 'acme', name: 'acme' }],
    })
    const { token, ...rest } = sessionIn(reply)
    expect((await o.call(session, {}, { token })).data).toEqual(rest)
    const now = o.deps.clock.now()
    const { last_use_at } = await o.deps.db
      .selectFrom('account')
      .select('last_use_at')
      .where('kid', '=', o.acme.kid)
      .executeTakeFirstOrThrow()
    expect(last_use_at).toEqual(now)
  })

  it('spends the puzzle token, right password or wrong', async () => {
    for (const password of [testPassword, 'Wrong-2026!']) {
      const { puzzle_token } = (await solve()).data
      const input = { username: 'globex', password: clientHash(password), puzzle_token }
      await o.call(login, input)
      expect((await o.call(login, { ...input, password: clientHash(testPassword) })).result).toBe(41014)
    }
  })

  it('needs a puzzle token no older than two minutes', async () => {
    const { puzzle_token } = (await solve()).data
    await o.deps.clock.advance(2 * minute)
    const input = { username: 'acme', password: clientHash(testPassword), puzzle_token }
    expect((await o.call(login, input)).result).toBe(41014)
    expect((await o.call(login, { ...input, puzzle_token: '' })).result).toBe(41014)
  })

  it('says the same of a wrong name and a wrong password', async () => {
    const wrong = await signIn('acme', 'Wrong-2026!')
    expect(wrong).toMatchObject({ status: 422, result: 41001, data: null })
    expect(await signIn('nobody')).toEqual(wrong)
    expect((await signIn('a\0b')).result).toBe(10000)
  })

  it('is refused without a role, and in an account that no longer works', async () => {
    await o.person(3, o.acme.kid, 'no-role', null)
    expect(await signIn('no-role')).toMatchObject({ status: 403, result: 41004, data: null })
    await o.person(3, o.acme.kid, 'disabled', ['*'])
    await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('username', '=', 'disabled').execute()
    expect((await signIn('disabled')).result).toBe(41003)
    const held = await o.deps.db
      .selectFrom('session')
      .innerJoin('user_account as u', 'u.kid', 'session.user_kid')
      .where('u.username', '=', 'no-role')
      .where('session.user_agent', '!=', 'test')
      .select('session.kid')
      .execute()
    expect(held).toEqual([])
  })

  it('makes what was only set up normal: the person and the account', async () => {
    const { kid: account_kid } = await createAccount(o.deps.db, { type: 1, name: 'Fresh', status: 'init' })
    const { kid } = await o.person(1, account_kid, 'fresh-root', ['*'])
    await o.deps.db.updateTable('user_account').set({ status: 'init' }).where('kid', '=', kid).execute()
    const states = () =>
      o.deps.db
        .selectFrom('account as a')
        .innerJoin('user_account as u', 'u.account_kid', 'a.kid')
        .select(['a.status as account', 'u.status as user'])
        .where('a.kid', '=', account_kid)
        .executeTakeFirstOrThrow()
    expect((await signIn('fresh-root', 'Wrong-2026!')).result).toBe(41001)
    expect(await states()).toEqual({ account: 'init', user: 'init' })
    expect((await signIn('fresh-root')).result).toBe(1)
    expect(await states()).toEqual({ account: 'normal', user: 'normal' })
  })

  it('with a password that is changed meanwhile gives nothing that survives the change', async () => {
    const { kid } = await o.person(3, o.acme.kid, 'raced-change', ['*'])
    const password_hash = await hashPassword(clientHash('Other-2026!'))
    // Comparing it takes long enough for somebody to come between.
    const slow = await hashPassword(clientHash(testPassword))
    await o.deps.db.updateTable('user_account').set({ password_hash: slow }).where('kid', '=', kid).execute()
    const { puzzle_token } = (await solve()).data
    const reply = o.call(login, { username: 'raced-change', password: clientHash(testPassword), puzzle_token })
    const tries = o.deps.db.selectFrom('login_failure').select('key').where('key', '=', 'name:raced-change')
    // From here on the old password is being compared.
    while ((await tries.execute()).length === 0) continue
    await o.deps.db.updateTable('user_account').set({ password_hash }).where('kid', '=', kid).execute()
    await endSessions(o.deps, kid)
    expect([1, 401, 41001]).toContain((await reply).result)
    const left = await o.deps.db.selectFrom('session').select('kid').where('user_kid', '=', kid).execute()
    expect(left).toEqual([])
  })

  it('brings an outdated hash up to date', async () => {
    const { scryptSync } = await import('node:crypto')
    const salt = Buffer.alloc(16, 7)
    const hash = scryptSync(clientHash(testPassword), salt, 32, { N: 1024, r: 8, p: 1 })
    const password_hash = `scrypt$10$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
    const { kid } = await o.person(3, o.acme.kid, 'long-ago', ['*'])
    await o.deps.db.updateTable('user_account').set({ password_hash }).where('kid', '=', kid).execute()
    expect((await signIn('long-ago')).result).toBe(1)
    const row = await o.deps.db
      .selectFrom('user_account')
      .select('password_hash')
      .where('kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(row.password_hash).toMatch(/^scrypt\$4\$/)
    expect((await signIn('long-ago')).result).toBe(1)
  })
})

describe('guessing', () => {
  const guess = (username: string, as?: As) => signIn(username, 'Wrong-2026!', as)

  it('locks a name for 15 minutes after 5 failures, and tells how long', async () => {
    await o.person(3, o.acme.kid, 'guessed', ['*'])
    for (let i = 0; i < 5; i++) expect((await guess('Guessed')).result).toBe(41001)
    const locked = await signIn('guessed')
    expect(locked).toMatchObject({ status: 429, result: 41002 })
    expect(locked.message).toContain('15 min')
    expect((await signIn('guessed', testPassword, { address: '198.51.100.7' })).result).toBe(41002)
    await o.deps.clock.advance(10 * minute)
    expect((await signIn('guessed')).message).toMatch(/in 5 min/)
    await o.deps.clock.advance(5 * minute)
    expect((await signIn('guessed')).result).toBe(1)
  })

  it('by a stranger locks the name for strangers, not for its owner where the owner signs in', async () => {
    await o.person(3, o.acme.kid, 'owned', ['*'])
    const [home, moved] = [{ address: '2001:db8:0:7::1' }, { address: '2001:db8:0:7:aaaa::2' }]
    expect((await signIn('owned', testPassword, home)).result).toBe(1)
    for (let i = 0; i < 5; i++) await guess('owned', { address: '198.51.100.8' })
    expect((await signIn('owned', testPassword, { address: '198.51.100.9' })).result).toBe(41002)
    expect((await signIn('owned', testPassword, moved)).result).toBe(1)
    // Who guesses from there locks it there, and cleared nothing for the strangers.
    for (let i = 0; i < 5; i++) expect((await guess('Owned', home)).result).toBe(41001)
    expect((await signIn('owned', testPassword, moved)).result).toBe(41002)
    expect((await signIn('owned', testPassword, { address: '198.51.100.9' })).result).toBe(41002)
    await o.deps.clock.advance(90 * 24 * 60 * minute)
    for (let i = 0; i < 5; i++) await guess('owned', { address: '198.51.100.8' })
    expect((await signIn('owned', testPassword, home)).result).toBe(41002)
    await o.deps.clock.advance(15 * minute)
  })

  it('from a whole /64 of IPv6 is guessing from one address', async () => {
    const from = (i: number) => ({ address: `2001:db8:0:9:${i}::${i}` })
    const bits = async (as: As) => (await o.call(puzzle, {}, as)).data.work_bits
    expect((await guess('name0', from(1))).result).toBe(41001)
    expect((await guess('name1', from(2))).result).toBe(41001)
    expect([await bits(from(3)), await bits({ address: '2001:db8:0:a::1' })]).toEqual([12, 0])
  })

  it('starts anew after a success and after 15 quiet minutes', async () => {
    await o.person(3, o.acme.kid, 'forgetful', ['*'])
    for (let i = 0; i < 4; i++) await guess('forgetful')
    expect((await signIn('forgetful')).result).toBe(1)
    for (let i = 0; i < 4; i++) await guess('forgetful')
    await o.deps.clock.advance(15 * minute)
    for (let i = 0; i < 4; i++) await guess('forgetful')
    expect((await signIn('forgetful')).result).toBe(1)
  })

  it('does not get more tries by making them at once', async () => {
    await o.person(3, o.acme.kid, 'rushed', ['*'])
    const tokens = []
    for (let i = 0; i < 12; i++) tokens.push((await solve()).data.puzzle_token)
    const password = clientHash('Wrong-2026!')
    const replies = await Promise.all(
      tokens.map((puzzle_token) => o.call(login, { username: 'rushed', password, puzzle_token })),
    )
    expect(replies.filter((reply) => reply.result === 41001)).toHaveLength(5)
    expect(replies.filter((reply) => reply.result === 41002)).toHaveLength(7)
  })

  it('of any names makes the puzzle cost more, and locks nobody out behind that address', async () => {
    const as = { address: '198.51.100.66' }
    expect((await guess('name0', as)).result).toBe(41001)
    // The slow part is the comparing, which the tries above have shown.
    const { numUpdatedRows } = await o.deps.db
      .updateTable('login_failure')
      .set({ failures: 60 })
      .where('key', '=', `address:${as.address}`)
      .executeTakeFirst()
    expect(numUpdatedRows).toBe(1n)
    expect((await o.call(puzzle, {}, as)).data.work_bits).toBe(20)
    expect((await guess('name1', as)).result).toBe(41001)
    expect((await signIn('acme', testPassword, as)).result).toBe(1)
  })

  it('behind the same address is no concern of a browser from which somebody has signed in', async () => {
    await o.person(3, o.acme.kid, 'neighbour', ['*'])
    const [home, office] = [{ address: '198.51.100.70' }, { address: '198.51.100.71' }]
    const { cookie } = await signIn('neighbour', testPassword, home)
    expect(cookie).toMatch(/^mdm_browser=[0-9a-f]{64}$/)
    for (let i = 0; i < 5; i++) await guess('neighbour', office)
    expect((await signIn('neighbour', testPassword, office)).result).toBe(41002)
    let stranger = 0
    while (stranger !== 429) stranger = (await o.call(puzzle, {}, office)).result
    const known = { ...office, cookie: cookie! }
    expect((await o.call(puzzle, {}, known)).data.work_bits).toBe(0)
    const again = await signIn('neighbour', testPassword, known)
    expect([again.result, again.cookie]).toEqual([1, cookie])
    // A browser that nobody has signed in from is a stranger, whatever it says.
    const pretended = { ...office, cookie: `mdm_browser=${'0'.repeat(64)}` }
    expect((await o.call(puzzle, {}, pretended)).data.work_bits).toBeGreaterThan(0)
  })

  it('from a known browser locks the name there', async () => {
    await o.person(3, o.acme.kid, 'lent-out', ['*'])
    const from = { address: '198.51.100.72' }
    const { cookie } = await signIn('lent-out', testPassword, from)
    const known = { ...from, cookie: cookie! }
    for (let i = 0; i < 5; i++) expect((await guess('lent-out', known)).result).toBe(41001)
    expect((await signIn('lent-out', testPassword, known)).result).toBe(41002)
    expect((await signIn('lent-out', testPassword, from)).result).toBe(1)
  })
})
