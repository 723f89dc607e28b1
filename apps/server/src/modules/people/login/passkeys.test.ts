import { contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicUrl } from '../../../addresses.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { newKid } from '../../../lib/ids.ts'
import { softAuthenticator } from '../../../testing/authenticator.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { confirm, sessionIn } from '../../../testing/sign-in.ts'
import { createSession } from './service.ts'

const { passkey_begin, passkey, confirm_passkey_begin, confirm_passkey, options, session } = contract.login.calls
const account = contract.account.calls
const minute = 60_000

let o: TestApi
let origin: string
beforeAll(async () => {
  o = await testApi()
  origin = publicUrl(o.deps)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const from = { address: '192.0.2.7', user_agent: '' }
const asked = (reply: { data: { options: object } }) => reply.data.options as { challenge: string }
async function person() {
  const { kid } = await o.person(3, o.acme.kid, newKid().slice(-12), ['deviceList'])
  const as = { token: await createSession(o.deps, kid, from) }
  expect((await confirm(o, as)).result).toBe(1)
  return { kid, as }
}
async function withPasskey() {
  const who = await person()
  const authenticator = softAuthenticator(origin)
  const answer = authenticator.create(asked(await o.call(account.passkey_begin, {}, who.as)))
  const added = await o.call(account.passkey_add, { name: 'Laptop', answer }, who.as)
  expect(added).toMatchObject({ result: 1 })
  return { ...who, authenticator, passkey_kid: added.data.kid }
}
const begin = async () => asked(await o.call(passkey_begin, {}))

describe('a passkey', () => {
  it('is added with a name, signs in without one, and counts for both factors', async () => {
    expect((await o.call(options, {})).data.passkeys).toBe('localhost')
    const { kid, as, authenticator } = await withPasskey()
    await o.deps.db
      .updateTable('user_account')
      .set({ totp_secret: 'sealed', totp_enabled_at: o.deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    const challenge = await begin()
    // Whose it is is not told before it is shown.
    expect(challenge).not.toHaveProperty('allowCredentials.0')
    const signed_in = sessionIn(await o.call(passkey, { answer: authenticator.get(challenge) }))
    expect(signed_in.user_kid).toBe(kid)
    expect((await o.call(account.list_passkey, {}, as)).data).toMatchObject([
      { name: 'Laptop', is_synced: false, last_use_at: expect.any(String) },
    ])
  })

  it('answers a challenge once, in time, and one that was made for it', async () => {
    const { as, authenticator } = await withPasskey()
    const challenge = await begin()
    const answer = authenticator.get(challenge)
    expect((await o.call(passkey, { answer })).result).toBe(1)
    expect((await o.call(passkey, { answer })).result).toBe(41019)
    const late = await begin()
    await o.deps.clock.advance(5 * minute)
    expect((await o.call(passkey, { answer: authenticator.get(late) })).result).toBe(41019)
    const made_up = { challenge: 'AAAA', rpId: 'localhost' }
    expect((await o.call(passkey, { answer: authenticator.get(made_up) })).result).toBe(41019)
    // Of a session, it is that person's alone.
    const other = await withPasskey()
    const own = asked(await o.call(confirm_passkey_begin, {}, as))
    expect((await o.call(confirm_passkey, { answer: authenticator.get(own) }, other.as)).result).toBe(41019)
    expect((await o.call(passkey, { answer: authenticator.get(own) })).result).toBe(41019)
  })

  it('is refused of another page, without the person verified, with a worn counter, and by a stranger', async () => {
    const { authenticator } = await withPasskey()
    const wrong = async (answer: object) =>
      expect((await o.call(passkey, { answer: answer as never })).result).toBe(41030)
    await wrong(authenticator.get(await begin(), { at: 'https://mdm.example' }))
    await wrong(authenticator.get(await begin(), { is_verified: false }))
    await wrong(authenticator.get({ ...(await begin()), rpId: 'example.com' }))
    const forged = softAuthenticator(origin).get(await begin())
    await wrong({ ...forged, id: authenticator.id, rawId: authenticator.id })
    await wrong(softAuthenticator(origin).get(await begin()))
    expect((await o.call(passkey, { answer: authenticator.get(await begin()) })).result).toBe(1)
    authenticator.setCounter(1)
    await wrong(authenticator.get(await begin()))
  })

  it('opens nothing for who was disabled, lost the roles, or had the password set by somebody else', async () => {
    const { kid, authenticator } = await withPasskey()
    const status = (value: 'invalid' | 'normal') =>
      o.deps.db.updateTable('user_account').set({ status: value }).where('kid', '=', kid).execute()
    await status('invalid')
    expect((await o.call(passkey, { answer: authenticator.get(await begin()) })).result).toBe(41003)
    await status('normal')
    const roles = await o.deps.db.deleteFrom('user_role').where('user_kid', '=', kid).returningAll().execute()
    expect((await o.call(passkey, { answer: authenticator.get(await begin()) })).result).toBe(41004)
    await o.deps.db.insertInto('user_role').values(roles).execute()
    expect((await o.call(passkey, { answer: authenticator.get(await begin()) })).result).toBe(1)
  })

  it('stands for the password where that is asked for again, and is removed with one of them', async () => {
    const { kid, as, authenticator, passkey_kid } = await withPasskey()
    await o.deps.db.updateTable('session').set({ confirmed_at: null }).where('user_kid', '=', kid).execute()
    forgetSessions(o.deps)
    expect((await o.call(account.passkey_remove, { kid: passkey_kid }, as)).result).toBe(41021)
    expect((await o.call(account.passkey_begin, {}, as)).result).toBe(41021)
    const other = await person()
    expect((await o.call(account.passkey_remove, { kid: passkey_kid }, other.as)).result).toBe(404)
    const challenge = asked(await o.call(confirm_passkey_begin, {}, as))
    expect((await o.call(confirm_passkey, { answer: authenticator.get(challenge) }, as)).result).toBe(1)
    expect((await o.call(account.passkey_remove, { kid: passkey_kid }, as)).result).toBe(1)
    expect((await o.call(passkey, { answer: authenticator.get(await begin()) })).result).toBe(41030)
    expect((await o.call(session, {}, as)).result).toBe(1)
  })

  it('is one person’s: the same one is not added twice', async () => {
    const { authenticator } = await withPasskey()
    const thief = await person()
    const answer = authenticator.create(asked(await o.call(account.passkey_begin, {}, thief.as)))
    expect((await o.call(account.passkey_add, { name: 'Mine', answer }, thief.as)).result).toBe(41030)
  })

  it('needs a name and https, or this machine', async () => {
    const { public_url } = o.deps.config
    for (const [url, host] of [
      ['https://mdm.example.com', 'mdm.example.com'],
      ['http://mdm.example.com', null],
      ['https://192.0.2.1', null],
    ] as const) {
      o.deps.config.public_url = url
      expect((await o.call(options, {})).data.passkeys).toBe(host)
    }
    expect((await o.call(passkey_begin, {})).result).toBe(41018)
    o.deps.config.public_url = public_url
  })
})
