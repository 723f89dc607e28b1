import { constants, contract } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { newKid } from '../../../lib/ids.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import type { Receiver } from '../../../testing/webhook-receiver.ts'
import { notifyAccount } from './service.ts'

const hooks = contract.webhook.calls
const opsHooks = contract.opsWebhook.calls
const code = contract.opsClientCode.calls
const somewhere = 'https://93.184.216.34/hook'
const [duplicate_name, refused, limit] = [44001, 49011, 49012]

let o: TestApi
let receiver: Receiver
let acme: As
let globex: As
beforeAll(async () => {
  ;[o, receiver] = await Promise.all([testApi(), startReceiver()])
  o.deps.config.webhook_allow = ['127.0.0.1']
  acme = await o.person(3, o.acme.kid, 'acme.hooks', ['webhookList*', 'userAccountManageList'])
  globex = await o.person(3, o.globex.kid, 'globex.hooks', ['webhookList*'])
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await receiver.close()
  await o.close()
})
afterEach(async () => {
  await o.deps.db.deleteFrom('webhook').execute()
  receiver.received.length = 0
  // What is known of webhooks is a second old at most.
  await o.deps.clock.advance(1_000)
})
let made = 0
const draft = (changed: object = {}) => ({
  name: `hook ${(made += 1)}`,
  url: somewhere,
  events: ['operation_log' as const],
  ...changed,
})
const add = (as: As, changed: object = {}) => o.call(hooks.insert, draft(changed), as)
const heard = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, any>)

describe('a webhook', () => {
  it('is kept, listed, edited and deleted; its secret is shown once and kept sealed', async () => {
    const { kid, secret } = (await add(acme, { name: 'Mine', events: ['user.created', 'user.created'] })).data
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const row = await o.deps.db.selectFrom('webhook').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(secret.slice(6))
    const list = async () => (await o.call(hooks.list, {}, acme)).data
    expect(await list()).toEqual([
      {
        kid,
        name: 'Mine',
        url: somewhere,
        events: ['user.created'],
        is_enabled: true,
        created_at: o.deps.clock.now().toISOString(),
        updated_at: o.deps.clock.now().toISOString(),
        last_delivery_at: null,
        last_state: null,
        failing_since: null,
        left_out: 0,
        left_out_at: null,
        offline_minutes: 60,
      },
    ])
    const changed = { kid, name: 'Ours', url: `${somewhere}2`, events: ['role.changed' as const], is_enabled: false }
    expect((await o.call(hooks.update, changed, acme)).result).toBe(1)
    expect(await list()).toMatchObject([changed])
    const renewed = (await o.call(hooks.renew_secret, { kid }, acme)).data.secret
    expect(renewed).toMatch(/^whsec_/)
    expect(renewed).not.toBe(secret)
    const log = await o.deps.db.selectFrom('operation_log').select(['request', 'response', 'tracks']).execute()
    expect(JSON.stringify(log)).not.toMatch(/whsec_/)
    expect((await o.call(hooks.delete, { kid }, acme)).result).toBe(1)
    expect((await o.call(hooks.delete, { kid }, acme)).status).toBe(404)
    expect(await list()).toEqual([])
  })

  it('has a name of its own within the account', async () => {
    await add(acme, { name: 'Name' })
    const { kid } = (await add(acme)).data
    expect((await add(acme, { name: 'NAME' })).result).toBe(duplicate_name)
    expect((await o.call(hooks.update, { ...draft({ name: 'name' }), kid }, acme)).result).toBe(duplicate_name)
    expect((await add(globex, { name: 'Name' })).result).toBe(1)
  })

  it('is one of so many, also when they are made at once', async () => {
    const replies = await Promise.all(Array.from({ length: constants.webhooks_max + 4 }, () => add(acme)))
    expect(replies.filter(({ result }) => result === 1)).toHaveLength(constants.webhooks_max)
    expect(replies.filter(({ result }) => result === limit)).toHaveLength(4)
    expect((await add(globex)).result).toBe(1)
  })

  it('leads to a public host, which the refusal says in the language of the reader', async () => {
    const inside = draft({ url: 'http://10.0.0.1/' })
    const messages = await Promise.all(
      ['en', 'vi', 'zh-cn'].map((lang) => o.call(hooks.insert, inside, { ...acme, lang })),
    )
    expect(messages.map(({ result }) => result)).toEqual([refused, refused, refused])
    expect(messages[0]!.message).toContain('not on the public internet')
    expect(messages[1]!.message).toContain('Internet công cộng')
    expect(messages[2]!.message).toContain('公共互联网')
    const { kid } = (await add(acme)).data
    expect((await o.call(hooks.update, { ...inside, kid }, acme)).result).toBe(refused)
    for (const url of ['ftp://93.184.216.34/', 'nonsense', '']) expect((await add(acme, { url })).result).toBe(10000)
    for (const events of [[], ['nonsense']]) expect((await add(acme, { events })).result).toBe(10000)
  })

  it('of another account does not exist, nor do its deliveries', async () => {
    const { kid } = (await add(acme, { url: receiver.url })).data
    const { delivery_kid } = (await o.call(hooks.ping, { kid }, acme)).data
    for (const strangers of [globex, { ...o.operator }] as const) {
      const calls = strangers === globex ? hooks : opsHooks
      expect((await o.call(calls.update, { ...draft(), kid }, strangers)).status).toBe(404)
      expect((await o.call(calls.renew_secret, { kid }, strangers)).status).toBe(404)
      expect((await o.call(calls.delete, { kid }, strangers)).status).toBe(404)
      expect((await o.call(calls.ping, { kid }, strangers)).status).toBe(404)
      expect((await o.call(calls.paging_delivery, { webhook_kid: kid }, strangers)).status).toBe(404)
      expect((await o.call(calls.redeliver, { kid: delivery_kid }, strangers)).status).toBe(404)
      expect((await o.call(calls.list, {}, strangers)).data).toEqual([])
    }
    expect((await o.call(hooks.list, {}, acme)).data).toHaveLength(1)
    expect((await o.call(hooks.list, {}, o.acme_root)).status).toBe(403)
  })

  it('that hears everything is made by the call for it only', async () => {
    const clerk = await o.person(101, o.provider.kid, 'hook.clerk', ['webhookList*', 'externalUserManageList*'])
    expect((await add(clerk)).status).toBe(403)
    expect((await o.call(hooks.list, {}, clerk)).status).toBe(403)
    expect((await o.call(opsHooks.insert, draft(), clerk)).status).toBe(403)
    const inside = { token: clerk.token }
    await o.call(contract.opsAccount.calls.enter, { kid: o.globex.kid }, inside)
    const { kid } = (await add(inside)).data
    expect((await o.call(hooks.list, {}, globex)).data.map((row) => row.kid)).toEqual([kid])
  })
})

describe('what is heard', () => {
  const listen = async (events: string[], as: As = acme) => (await add(as, { url: receiver.url, events })).data.kid
  const listenAll = (events: string[]) =>
    o.call(opsHooks.insert, draft({ url: receiver.url, events }) as never, o.operator)

  it('of an operation is who did what, and not what was sent', async () => {
    await listenAll(['operation_log'])
    const { kid } = (await o.call(code.insert, { code: 'AB12c', name: 'Bưu điện' }, o.operator)).data
    await expect.poll(() => heard().some(({ module }) => module === 'ops/client_code')).toBe(true)
    const body = heard().find(({ module }) => module === 'ops/client_code')!
    const { kid: operation_kid } = await o.deps.db
      .selectFrom('operation_log')
      .select('kid')
      .where('module_code', '=', 'ops/client_code')
      .executeTakeFirstOrThrow()
    expect(body).toEqual({
      id: expect.any(String),
      type: 'operation_log',
      created_at: o.deps.clock.now().toISOString(),
      account: { kid: o.provider.kid, name: 'Provider' },
      operator: { kid: o.operator.kid, name: 'Name of operator', username: 'operator' },
      module: 'ops/client_code',
      action: 'insert',
      result: 1,
      message: '',
      tracks: [{ table: 'client_code', kid, name: 'AB12c', change: 'created AB12c' }],
      detail: { operation_kid, address: '192.0.2.1' },
    })
    expect(JSON.stringify(body)).not.toContain('Bưu điện')
  })

  it('is what happens in the own account, and everything for the provider', async () => {
    await listen(['operation_log'])
    await listen(['operation_log'], globex)
    const all = (await listenAll(['operation_log'])).data.kid
    receiver.received.length = 0
    await o.deps.clock.advance(1_000)
    await o.call(hooks.renew_secret, { kid: newKid() }, globex)
    await expect.poll(() => heard().filter(({ action }) => action === 'renew_secret').length).toBe(2)
    const rows = await o.deps.db
      .selectFrom('webhook_delivery')
      .select(['account_kid', 'payload'])
      .where('payload', 'like', '%"renew_secret"%')
      .execute()
    expect(rows.map((row) => row.account_kid).toSorted()).toEqual([o.globex.kid, o.provider.kid].toSorted())
    expect(heard().find(({ action }) => action === 'renew_secret')).toMatchObject({
      result: 404,
      account: { kid: o.globex.kid },
    })
    await o.call(opsHooks.delete, { kid: all }, o.operator)
  })

  it('of failing to sign in reaches the account of that name', async () => {
    await listen(['user.sign_in_failed'])
    await listen(['user.sign_in_failed'], globex)
    receiver.received.length = 0
    await o.deps.clock.advance(1_000)
    const password = '0'.repeat(40)
    const { login } = contract.login.calls
    await o.call(login, { username: 'ACME.person', password, puzzle_token: 'f'.repeat(64) } as never)
    await o.call(login, { username: 'nobody.at.all', password, puzzle_token: 'f'.repeat(64) } as never)
    await expect.poll(() => heard().length).toBe(1)
    expect(heard()[0]).toMatchObject({
      type: 'user.sign_in_failed',
      account: { kid: o.acme.kid, name: 'Acme' },
      operator: { kid: null, username: 'ACME.person' },
    })
    expect(receiver.received[0]!.body).not.toContain(password)
  })

  it('of time is told to the account and the provider', async () => {
    await listen(['account.expiring'])
    await listen(['account.expired', 'account.expiring'], globex)
    await listenAll(['account.expiring'])
    receiver.received.length = 0
    await o.deps.clock.advance(1_000)
    await notifyAccount(o.deps, o.acme.kid, 'account.expiring', { days: 3 })
    await expect.poll(() => heard().length).toBe(2)
    for (const body of heard())
      expect(body).toMatchObject({
        type: 'account.expiring',
        account: { kid: o.acme.kid, name: 'Acme' },
        operator: null,
        detail: { days: 3 },
      })
    // One message, whoever hears of it.
    expect(new Set(heard().map(({ id }) => id as string)).size).toBe(1)
    await notifyAccount(o.deps, newKid(), 'account.expired', {})
  })

  it('is nothing while it is switched off, and nothing that it did not ask for', async () => {
    const off = await listen(['operation_log'])
    await o.call(hooks.update, { ...draft({ url: receiver.url }), kid: off, is_enabled: false }, acme)
    await listen(['role.changed'])
    await o.deps.clock.advance(1_000)
    const before = await o.deps.db.selectFrom('webhook_delivery').select('kid').execute()
    await o.call(hooks.renew_secret, { kid: off }, acme)
    expect(await o.deps.db.selectFrom('webhook_delivery').select('kid').execute()).toHaveLength(before.length)
  })

  it('never costs an entry of the log, even when the webhook has gone a moment ago', async () => {
    const kid = await listen(['operation_log'])
    await o.deps.clock.advance(1_000)
    const renewals = async () =>
      (await o.deps.db.selectFrom('operation_log').select('kid').where('action_code', '=', 'renew_secret').execute())
        .length
    const before = await renewals()
    await o.call(hooks.renew_secret, { kid }, acme)
    await o.deps.db.deleteFrom('webhook').where('kid', '=', kid).execute()
    await o.call(hooks.renew_secret, { kid }, acme)
    expect(await renewals()).toBe(before + 2)
  })
})

describe('deliveries', () => {
  it('are paged by cursor and by state, newest first, and sent again with the same id', async () => {
    const { kid } = (await add(acme, { url: receiver.url, events: ['role.changed'] })).data
    const sent: string[] = []
    for (let i = 0; i < 5; i += 1) {
      sent.unshift((await o.call(hooks.ping, { kid }, acme)).data.delivery_kid)
      await o.deps.clock.advance(1_000)
    }
    const page = async (input: object = {}) =>
      (await o.call(hooks.paging_delivery, { webhook_kid: kid, ...input }, acme)).data
    await expect.poll(async () => (await page({ state: 'delivered' })).total).toBe(5)
    const first = await page({ page_size: 3 })
    const second = await page({ page_size: 3, after: first.next })
    expect([...first.items, ...second.items].map((row) => row.kid)).toEqual(sent)
    expect(second.next).toBeNull()
    expect(first.items[0]).toMatchObject({
      event: 'ping',
      state: 'delivered',
      attempts: 1,
      next_at: null,
      response_status: 204,
      error: null,
    })
    expect((await page({ state: 'failed' })).items).toEqual([])

    receiver.received.length = 0
    const again = (await o.call(hooks.redeliver, { kid: sent[0]! }, acme)).data.delivery_kid
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(receiver.received[0]!.body).toBe(first.items[0]!.payload)
    expect(receiver.received[0]!.headers['webhook-id']).toBe(JSON.parse(first.items[0]!.payload).id)
    expect((await page({ page_size: 1 })).items[0]!.kid).toBe(again)
    await expect
      .poll(async () => (await o.call(hooks.list, {}, acme)).data[0])
      .toMatchObject({ last_state: 'delivered', last_delivery_at: o.deps.clock.now().toISOString() })
  })
})
