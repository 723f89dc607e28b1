import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { endSessions } from '../../people/login/index.ts'
import { newKid } from '../../../lib/ids.ts'
import {
  addPolicy,
  dialTunnel,
  onlineDevice,
  refused,
  remotePerson,
  remoteSettings,
  viewerEnd,
} from '../../../testing/remote.ts'
import type { RemoteDevice } from '../../../testing/remote.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { dropOldSessions, keepSessions } from './index.ts'

const minute = 60_000
const period = 7_200_000
const second_ms = 1_000

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterAll(async () => {
  await w.close()
  expect(w.internal_errors).toEqual([])
})
const settings = (account_kid: string, given: object = {}) => remoteSettings(w.deps, account_kid, given)
const person = (permissions?: string[], more?: Parameters<typeof remotePerson>[2]) => remotePerson(w, permissions, more)
const deviceOf = (account_kid: string) => onlineDevice(w, account_kid)

let ann: Awaited<ReturnType<typeof person>>
let device: RemoteDevice
beforeEach(async () => {
  ann = await person()
  device = await deviceOf(ann.account_kid)
})
const openTerminal = async () => {
  await settings(ann.account_kid)
  const opened = await ann.call('open_terminal', { terminal_kid: device.kid })
  return { opened, viewer: await viewerEnd(w.url, opened), end: device.ends.at(-1)! }
}
describe('a tunnel', () => {
  it('carries what both ends say, once the device has brought its own', async () => {
    const { opened, viewer, end } = await openTerminal()
    expect(device.asked[0]).toMatchObject({ kind: 'terminal', consent: 'ask', tunnel_kid: opened.viewer_kid })
    viewer.socket.send(Buffer.from('ls\n'))
    viewer.socket.send(JSON.stringify({ resize: { columns: 100, rows: 30 } }))
    expect((await end.got(3)).toString()).toBe('ls\n')
    await end.heard((note) => 'resize' in note)
    end.socket.send(Buffer.from('a b c'))
    // What a device says beside its stream reaches nobody.
    end.socket.send(JSON.stringify({ has_control: true }))
    expect((await viewer.got(5)).toString()).toBe('a b c')
    await viewer.heard((note) => 'ends_at' in note)
    expect(viewer.texts).toEqual([{ has_control: true, viewers: 1 }, { ends_at: opened.session.ends_at }])
    const session = await ann.call('get', { session_kid: opened.session.kid })
    expect(session).toMatchObject({ ended_at: null, viewers: [{ kid: opened.viewer_kid, left_at: null }] })
    expect(await ann.call('end', { kids: [session.kid] })).toEqual({ ended: 1 })
    expect(await viewer.closed).toEqual({ code: 4000, reason: 'ended' })
    expect(await end.closed).toEqual({ code: 4000, reason: 'ended' })
    expect(await ann.call('end', { kids: [session.kid] })).toEqual({ ended: 0 })
    expect(await refused(ann.call('join', { session_kid: session.kid }))).toBe('remote_ended')
  })

  it('ends with the end that goes, is told to the other one, and can be joined again', async () => {
    const { opened, viewer, end } = await openTerminal()
    end.socket.terminate()
    expect(await viewer.closed).toEqual({ code: 4004, reason: 'device_gone' })
    const again = await ann.call('join', { session_kid: opened.session.kid })
    // The same person is not asked for a second time.
    expect(device.asked[1]).toMatchObject({ consent: 'notify' })
    const second = await viewerEnd(w.url, again)
    second.socket.terminate()
    expect(await device.ends[1]!.closed).toEqual({ code: 4005, reason: 'viewer_gone' })
  })

  it('stands where the device has brought its end, although its answer is lost', async () => {
    device.is_mute = true
    const opening = ann.call('open_desktop', { terminal_kid: device.kid })
    while (device.ends.length === 0) await new Promise(setImmediate)
    await w.deps.clock.advance(1_000)
    const viewer = await viewerEnd(w.url, await opening)
    device.ends[0]!.socket.send(Buffer.from('RFB'))
    expect((await viewer.got(3)).toString()).toBe('RFB')
  })

  it('a frame that is too large, and a note that is none, end it', async () => {
    for (const bad of [Buffer.alloc(256 * 1024 + 1), '{"reboot":true}', '{', 'x'.repeat(2_000)]) {
      const opened = await ann.call('open_desktop', { terminal_kid: device.kid })
      const viewer = await viewerEnd(w.url, opened)
      viewer.socket.send(bad)
      expect([4005, 4007]).toContain((await device.ends.at(-1)!.closed).code)
    }
  })
})

describe('a ticket', () => {
  it('opens one end once: not twice, not another tunnel, not late, not with another device', async () => {
    const other = await deviceOf(ann.account_kid)
    const first = await ann.call('open_log', { terminal_kid: device.kid })
    const second = await ann.call('open_log', { terminal_kid: device.kid })
    expect(await dialTunnel(w.url, first.url, second.ticket)).toBe(401)
    expect(await dialTunnel(w.url, `/tunnel/${newKid()}`, first.ticket)).toBe(401)
    expect(await dialTunnel(w.url, '/tunnel/x', first.ticket)).toBe(401)
    expect(await dialTunnel(w.url, first.url, 'short')).toBe(400)
    const viewer = await viewerEnd(w.url, first)
    expect(await dialTunnel(w.url, first.url, first.ticket)).toBe(401)
    w.deps.clock.jump(31_000)
    expect(await dialTunnel(w.url, second.url, second.ticket)).toBe(401)
    viewer.socket.terminate()

    // The device's own: another device of the account has it, or the device uses it again.
    const bearer = ({ kid, secret }: RemoteDevice) => ({ authorization: `Bearer ${kid}:${secret}` })
    let seen: unknown[] = []
    const request = w.deps.link.request
    w.deps.link.request = async (_kid, _method, params) => {
      const { url: path, ticket } = params as { url: string; ticket: string }
      seen = [
        await dialTunnel(w.url, path, ticket, bearer(other)),
        await dialTunnel(w.url, path, ticket, { authorization: `Bearer ${device.kid}:${'0'.repeat(64)}` }),
        await dialTunnel(w.url, path, ticket),
        typeof (await dialTunnel(w.url, path, ticket, bearer(device))),
        await dialTunnel(w.url, path, ticket, bearer(device)),
      ]
      return {}
    }
    await ann.call('open_log', { terminal_kid: device.kid })
    w.deps.link.request = request
    expect(seen).toEqual([401, 401, 401, 'object', 401])
  })

  it('whose connection broke before it stood leaves nothing of it in memory', async () => {
    await settings(ann.account_kid)
    const { url, ticket, viewer_kid } = await ann.call('open_terminal', { terminal_kid: device.kid })
    const asked = { kid: viewer_kid, ticket, authorization: undefined }
    const put = vi.spyOn(w.deps.objects, 'put')
    const before = w.deps.memory.remote.get(viewer_kid)
    expect(await w.deps.features.tunnels.admit(w.deps, asked)).toMatchObject({ end: 'viewer' })
    expect(w.deps.memory.remote.get(viewer_kid)).toBe(before)
    expect(put).not.toHaveBeenCalled()
    put.mockRestore()
    expect(await dialTunnel(w.url, url, ticket)).toBe(401)
    device.ends[0]!.socket.terminate()
  })

  it('is worth nothing without the sign-in that asked for it, nor on a foreign page', async () => {
    const opened = await ann.call('open_log', { terminal_kid: device.kid })
    for (const origin of ['https://evil.example', 'null', `${w.url}.evil.example`])
      expect(await dialTunnel(w.url, opened.url, opened.ticket, { origin })).toBe(403)
    await endSessions(w.deps, ann.user_kid)
    expect(await dialTunnel(w.url, opened.url, opened.ticket)).toBe(401)
  })

  it('is not given for a device that answers without having come, and nothing is left of it', async () => {
    const request = w.deps.link.request
    w.deps.link.request = async () => ({})
    expect(await refused(ann.call('open_log', { terminal_kid: device.kid }))).toBe('device_answer_invalid')
    w.deps.link.request = request
    const { items } = await ann.call<{ items: unknown[] }>('paging', { page: 1, page_size: 10 })
    expect(items).toEqual([])
  })
})

describe('who may', () => {
  it('nothing of another tenant, nor of groups out of reach', async () => {
    const stranger = await person()
    const group_kid = newKid()
    await w.deps.db
      .insertInto('terminal_group')
      .values({ kid: group_kid, account_kid: ann.account_kid, parent_kid: null, name: 'G', depth: 1 })
      .execute()
    const limited = await person(undefined, { account_kid: ann.account_kid, groups: [group_kid] })
    const opened = await ann.call('open_log', { terminal_kid: device.kid })
    const session_kid = opened.session.kid
    for (const { call } of [stranger, limited]) {
      expect(await refused(call('open_desktop', { terminal_kid: device.kid }))).toBe('not_found')
      for (const key of ['join', 'get'] as const) expect(await refused(call(key, { session_kid }))).toBe('not_found')
      expect(await refused(call('end', { kids: [session_kid] }))).toBe('not_found')
      expect(await refused(call('control', { session_kid, viewer_kid: opened.viewer_kid }))).toBe('not_found')
      expect((await call<{ items: unknown[] }>('paging', { page: 1, page_size: 10 })).items).toEqual([])
    }
    expect(device.asked).toHaveLength(1)
    // Reached, and then moved out of reach: it ends.
    await w.deps.db
      .updateTable('terminal')
      .set({ terminal_group_kid: group_kid })
      .where('kid', '=', device.kid)
      .execute()
    const viewer = await viewerEnd(w.url, await limited.call('join', { session_kid }))
    await w.deps.db.updateTable('terminal').set({ terminal_group_kid: null }).where('kid', '=', device.kid).execute()
    expect(await viewer.closed).toEqual({ code: 4003, reason: 'not_allowed' })
  })

  it('each kind by its own permission, shells only where they are switched on', async () => {
    const looker = await person(['deviceDetailRemote'], { account_kid: ann.account_kid })
    for (const key of ['open_terminal', 'open_log'] as const)
      expect(await refused(looker.call(key, { terminal_kid: device.kid }))).toBe('no_permission')
    expect(await refused(ann.call('open_terminal', { terminal_kid: device.kid }))).toBe('remote_terminal_off')
    const opened = await ann.call('open_log', { terminal_kid: device.kid })
    expect(await refused(looker.call('join', { session_kid: opened.session.kid }))).toBe('no_permission')
    expect(await refused(looker.call('end', { kids: [opened.session.kid] }))).toBe('no_permission')
  })

  it('a device that is away, opens no such tunnel or says no is told as what it is', async () => {
    const open = () => refused(ann.call('open_desktop', { terminal_kid: device.kid }))
    for (const [code, name] of [
      ['permission_missing', 'remote_permission_missing'],
      ['asleep', 'remote_asleep'],
      ['no_source', 'no_remote_connection'],
      ['busy', 'remote_busy'],
      ['not_supported', 'device_not_supported'],
      ['on_fire', 'device_refused'],
      ['no_consent', 'remote_no_consent'],
    ]) {
      device.refuses = code
      expect(await open()).toBe(name)
    }
    await w.deps.db
      .updateTable('terminal')
      .set({ tunnels: ['log'] })
      .where('kid', '=', device.kid)
      .execute()
    expect(await open()).toBe('no_remote_connection')
    await w.deps.db
      .updateTable('terminal_state')
      .set({ is_online: false })
      .where('terminal_kid', '=', device.kid)
      .execute()
    expect(await open()).toBe('device_not_online')
  })

  it('no more than four tunnels of a device', async () => {
    for (let i = 0; i < 4; i++) await ann.call('open_log', { terminal_kid: device.kid })
    expect(await refused(ann.call('open_log', { terminal_kid: device.kid }))).toBe('remote_busy')
  })
})

describe('ends within a second', () => {
  const ways: [string, () => Promise<unknown>, number][] = [
    ['signing out', () => w.call('/api/login/logout', { method: 'POST', headers: ann.bearer, body: '{}' }), 4002],
    ['a change of roles', () => endSessions(w.deps, ann.user_kid), 4002],
    [
      'disabling',
      () => w.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', ann.user_kid).execute(),
      4002,
    ],
    ['deregistering the device', () => w.deps.db.deleteFrom('terminal').where('kid', '=', device.kid).execute(), 4004],
    [
      'the end of its time',
      () =>
        w.deps.db
          .updateTable('remote_session')
          .set({ ends_at: new Date(w.deps.clock.now().getTime() - 1) })
          .where('account_kid', '=', ann.account_kid)
          .execute(),
      4001,
    ],
  ]
  it.each(ways)('of %s, at both ends', async (_name, happen, code) => {
    const { opened, viewer, end } = await openTerminal()
    await happen()
    const since = performance.now()
    const codes = await Promise.all([viewer.closed, end.closed])
    expect(performance.now() - since).toBeLessThan(second_ms + 500)
    expect(codes.map((each) => each.code)).toEqual([code, code])
    const row = await w.deps.db
      .selectFrom('remote_session')
      .select('end_reason')
      .where('kid', '=', opened.session.kid)
      .executeTakeFirstOrThrow()
    expect(row.end_reason).not.toBeNull()
  })
})

describe('control', () => {
  const hello = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])])
  const key = Buffer.from([4, 1, 0, 0, 0, 0, 0, 97])
  const released = Buffer.from([4, 0, 0, 0, 0, 0, 0, 97])
  const cut = Buffer.from([6, 0, 0, 0, 0, 0, 0, 2, 104, 105])
  const update = Buffer.from([3, 1, 0, 0, 0, 0, 0, 9, 0, 9])

  it('is one viewer’s; it can be handed over, and what is held down is let go', async () => {
    const bob = await person(undefined, { account_kid: ann.account_kid })
    const looker = await person(['deviceDetailRemote'], { account_kid: ann.account_kid })
    const opened = await ann.call('open_desktop', { terminal_kid: device.kid })
    const session_kid = opened.session.kid
    const first = await viewerEnd(w.url, opened)
    const joined = await bob.call('join', { session_kid })
    const second = await viewerEnd(w.url, joined)
    const [ofAnn, ofBob] = device.ends as [(typeof device.ends)[0], (typeof device.ends)[0]]
    first.socket.send(Buffer.concat([hello, key, update]))
    second.socket.send(Buffer.concat([hello, key, cut, update]))
    second.socket.send(JSON.stringify({ key: 'home' }))
    second.socket.send(JSON.stringify({ quality: 'low' }))
    expect(await ofAnn.got(32)).toEqual(Buffer.concat([hello, key, update]))
    expect(await ofBob.got(24)).toEqual(Buffer.concat([hello, update]))
    await ofBob.heard((note) => note['quality'] === 'low')
    expect(ofBob.texts).toEqual([{ quality: 'low' }])

    await bob.call('control', { session_kid, viewer_kid: joined.viewer_kid })
    await Promise.all([
      first.heard((note) => note['has_control'] === false),
      second.heard((note) => note['has_control'] === true),
    ])
    first.socket.send(Buffer.concat([key, update]))
    second.socket.send(Buffer.concat([key, cut]))
    expect(await ofAnn.got(32 + 8 + 10)).toEqual(Buffer.concat([hello, key, update, released, update]))
    expect(await ofBob.got(24 + 18)).toEqual(Buffer.concat([hello, update, key, cut]))

    const third = await looker.call('join', { session_kid })
    expect(device.asked.at(-1)).toMatchObject({ view_only: true })
    expect(await refused(ann.call('control', { session_kid, viewer_kid: third.viewer_kid }))).toBe('no_permission')
    expect(await refused(ann.call('control', { session_kid, viewer_kid: newKid() }))).toBe('not_found')
    await ann.call('control', { session_kid, viewer_kid: null })
    await second.heard((note) => note['has_control'] === false)
  })

  it('without the clipboard, text goes nowhere', async () => {
    await settings(ann.account_kid, { clipboard: false })
    const viewer = await viewerEnd(w.url, await ann.call('open_desktop', { terminal_kid: device.kid }))
    viewer.socket.send(Buffer.concat([hello, cut, key]))
    expect(await device.ends[0]!.got(22)).toEqual(Buffer.concat([hello, key]))
    expect(device.asked[0]).toMatchObject({ clipboard: false })
  })

  it('comes back to whoever lost the connection', async () => {
    const opened = await ann.call('open_desktop', { terminal_kid: device.kid })
    await viewerEnd(w.url, opened)
    const again = await ann.call('join', { session_kid: opened.session.kid })
    const viewer = await viewerEnd(w.url, again)
    await viewer.heard((note) => note['has_control'] === true)
    expect(again.session.viewers.map(({ has_control }) => has_control)).toEqual([false, true])
  })
})

describe('time', () => {
  const sn = () => device.kid.toUpperCase()
  const at = (ms: number) => new Date(w.deps.clock.now().getTime() + ms)

  it('is two hours, longer while an entitlement renews it, and shorter once that is taken back', async () => {
    const policy = await addPolicy(w.deps, sn(), at(-minute), at(100 * period))
    const opened = await ann.call('open_log', { terminal_kid: device.kid })
    const began = Date.parse(opened.session.created_at)
    const ends = ({ ends_at }: { ends_at: string }) => (Date.parse(ends_at) - began) / period
    expect(opened.session.terminal_policy_kid).toBe(policy)
    expect(ends(opened.session)).toBe(1)
    const viewer = await viewerEnd(w.url, opened)
    const renewed = await ann.call('renewal', { terminal_policy_kid: policy, step: 3 })
    expect([ends(renewed), renewed.renewals]).toEqual([4, 3])
    await viewer.heard((note) => note['ends_at'] === renewed.ends_at)
    await w.deps.clock.advance(period + minute)
    await w.deps.db.updateTable('session').set({ last_use_at: w.deps.clock.now() }).execute()
    const cleared = await ann.call('clear_renewal', { terminal_policy_kid: policy })
    expect([ends(cleared), cleared.renewals]).toEqual([2, 1])
    expect(await refused((await person()).call('renewal', { terminal_policy_kid: policy, step: 1 }))).toBe(
      'remote_ended',
    )
    await w.deps.db
      .updateTable('terminal_policy')
      .set({ ends_at: w.deps.clock.now() })
      .where('kid', '=', policy)
      .execute()
    expect(await refused(ann.call('renewal', { terminal_policy_kid: policy, step: 1 }))).toBe('remote_no_entitlement')
    await w.deps.clock.advance(period)
    expect(await viewer.closed).toEqual({ code: 4001, reason: 'expired' })
    expect(await refused(ann.call('clear_renewal', { terminal_policy_kid: policy }))).toBe('remote_ended')
  })

  it('where policies are asked for, a device without one that runs is not opened', async () => {
    w.deps.config.remote_needs_policy = true
    try {
      const open = () => refused(ann.call('open_log', { terminal_kid: device.kid }))
      expect(await open()).toBe('remote_no_entitlement')
      await addPolicy(w.deps, sn(), at(minute), at(period))
      await addPolicy(w.deps, sn(), at(-period), at(-minute))
      expect(await open()).toBe('remote_no_entitlement')
      await addPolicy(w.deps, sn(), at(-minute), at(minute))
      expect(await open()).toBe('not refused')
    } finally {
      w.deps.config.remote_needs_policy = false
    }
  })

  it('an ended session stays on the list for as long as the setting says, and with a recording longer', async () => {
    const kept = async () => (await ann.call<{ total: number }>('paging', {})).total
    const sessions: string[] = []
    for (const _ of ['with a recording', 'without']) {
      const { session } = await ann.call('open_log', { terminal_kid: device.kid })
      sessions.push(session.kid)
      await ann.call('end', { kids: [session.kid] })
    }
    const started_at = w.deps.clock.now()
    const of = { account_kid: ann.account_kid, session_kid: sessions[0]!, viewer_kid: newKid() }
    await w.deps.db
      .insertInto('remote_recording')
      .values({ kid: newKid(), ...of, format: 'fbs', bytes: 1, seconds: 1, started_at })
      .execute()
    const { remote_history_days } = w.deps.config
    w.deps.config.remote_history_days = 30
    const after = (days: number) => ({
      ...w.deps,
      clock: { ...w.deps.clock, now: () => new Date(started_at.getTime() + days * 24 * 60 * minute) },
    })
    try {
      await dropOldSessions(after(29))
      expect(await kept()).toBe(2)
      await dropOldSessions(after(31))
      expect(await kept()).toBe(1)
      expect(await refused(ann.call('get', { session_kid: sessions[1]! }))).toBe('not_found')
      const viewers = w.deps.db.selectFrom('remote_viewer').selectAll().where('session_kid', '=', sessions[1]!)
      expect(await viewers.execute()).toEqual([])
    } finally {
      w.deps.config.remote_history_days = remote_history_days
    }
  })

  it('a session that nobody comes back to is ended, and so is a viewer who never came', async () => {
    const { opened, viewer } = await openTerminal()
    await keepSessions(w.deps)
    viewer.socket.terminate()
    await device.ends[0]!.closed
    const never = await ann.call('open_log', { terminal_kid: device.kid })
    await w.deps.clock.advance(4 * minute)
    await keepSessions(w.deps)
    await w.deps.clock.advance(3 * minute)
    await keepSessions(w.deps)
    for (const { session } of [opened, never])
      expect(await ann.call('get', { session_kid: session.kid })).toMatchObject({ end_reason: 'no_viewer' })
  })
})
