import { createHash, randomBytes } from 'node:crypto'
import { encode } from '@msgpack/msgpack'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tunnelCloses } from '@mdm/device-link'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { fileViewer } from '@mdm/server/testing/file-viewer.ts'
import { refused, remotePerson, remoteSettings, viewerEnd } from '@mdm/server/testing/remote.ts'
import { gatewayWorld } from '../mdmesh/gateway-world.ts'
import type { GatewayWorld } from '../mdmesh/gateway-world.ts'
import { until } from '../until.ts'
import { HandmadeClient } from './handmade.ts'
import { HandmadeConnect } from './handmade-connect.ts'

const piece = 128 * 1024

describe('a device with mender-connect', () => {
  let w: GatewayWorld
  let ann: Awaited<ReturnType<typeof remotePerson>>
  let client: HandmadeClient
  let agent: HandmadeConnect
  let kid: string
  let serial = 0
  beforeAll(async () => {
    w = await gatewayWorld()
    w.deps.config.gateways.mender = true
    await w.http.restart()
    w.deps.config.public_url = w.http.url
    ann = await remotePerson(w.http, undefined, { account_kid: w.account_kid })
    await remoteSettings(w.deps, w.account_kid, { consent: 'notify' })
  })
  afterAll(() => w.close())
  afterAll(() => expect(w.http.internal_errors).toEqual([]))

  const joined = async () => {
    const made = new HandmadeClient({ server: w.http.url, token: w.token, mac: `02:00:00:00:01:${(serial += 1)}` })
    await made.ask()
    await made.attributes({ device_type: 'till', artifact_name: 'till-1.0.0' })
    return made
  }
  const connectOf = (made: HandmadeClient, more: object = {}) =>
    new HandmadeConnect({ server: w.http.url, bearer: made.bearer, ...more })
  const tunnelsOf = async (of = kid) => (await w.terminal(of)).tunnels ?? []
  const toOpen = (kinds: string[], of = kid) =>
    until('it to say what it opens', async () => String(await tunnelsOf(of)) === String(kinds))

  beforeEach(async () => {
    client = await joined()
    kid = client.bearer.split(':')[0]!
    agent = connectOf(client)
    await toOpen(['terminal', 'files'])
    return () => agent.close()
  })
  const open = async (kind: 'terminal' | 'files', more: object = {}) =>
    viewerEnd(w.http.url, await ann.call(`open_${kind}`, { terminal_kid: kid, ...more }))

  it('opens what its agent accepts, and nothing once that has gone', async () => {
    await agent.close()
    await toOpen([])
    expect(await refused(open('terminal'))).toBe('no_remote_connection')
    agent = connectOf(client, { protocols: [2] })
    await toOpen(['files'])
  })

  it('is one: a newer connection takes the place of an older one', async () => {
    const newer = connectOf(client)
    await until('the older one to be let go', () => agent.socket.readyState === agent.socket.CLOSED)
    const end = await open('terminal')
    end.socket.send(Buffer.from('x'))
    await end.got(1)
    expect(newer.toldOf('new')).toHaveLength(1)
    await newer.close()
  })

  it('has a shell, in the size of the window, which is recorded, and stopped when its viewer goes', async () => {
    const ticket = await ann.call('open_terminal', { terminal_kid: kid, columns: 100, rows: 30 })
    const end = await viewerEnd(w.http.url, ticket)
    const begun = await agent.told('new')
    expect(begun.props).toEqual({ terminal_width: 100, terminal_height: 30, user_id: begun.sid })
    const typed = randomBytes(20_000).toString('hex')
    end.socket.send(Buffer.from(typed))
    expect((await end.got(typed.length)).toString()).toBe(typed)
    end.socket.send(JSON.stringify({ resize: { columns: 120, rows: 40 } }))
    expect((await agent.told('resize')).props).toEqual({ terminal_width: 120, terminal_height: 40 })
    agent.say({ proto: 1, typ: 'ping', sid: begun.sid })
    expect((await agent.told('pong')).sid).toBe(begun.sid)
    end.socket.close()
    expect((await agent.told('stop')).sid).toBe(begun.sid)
    const session_kid = ticket.session.kid
    await expect
      .poll(async () => (await ann.call('get', { session_kid })).recordings)
      .toMatchObject([{ format: 'asciicast' }])
  })

  it('ends a session with its shell, and loses it with its connection', async () => {
    const ended = await open('terminal')
    agent.say({ proto: 1, typ: 'stop', sid: (await agent.told('new')).sid, body: Buffer.from('EOF') })
    expect(await ended.closed).toMatchObject({ code: tunnelCloses.ended })
    const lost = await open('terminal')
    await agent.close()
    expect(await lost.closed).toMatchObject({ code: tunnelCloses.device_gone })
  })

  it('loses a shell that fails as soon as it has begun, and lives on', async () => {
    agent.is_mute = true
    const opening = refused(open('terminal'))
    const { sid } = await agent.told('new')
    agent.together(() => {
      agent.say({ proto: 1, typ: 'new', sid, props: { status: 1 } })
      agent.say({ proto: 1, typ: 'shell', sid, props: { status: 2 }, body: Buffer.from('failed to write') })
    })
    expect(await opening).toBe('no_remote_connection')
  })

  it('says why there is no shell', async () => {
    agent.is_mute = true
    const opening = refused(open('terminal'))
    const { sid } = await agent.told('new')
    agent.say({ proto: 1, typ: 'new', sid, props: { status: 2 }, body: Buffer.from('too many shells spawned') })
    expect(await opening).toBe('no_remote_connection')
  })

  it('is not opened where somebody at the device has to be asked, nor to who may not, nor to another tenant', async () => {
    const account = w.deps.db.updateTable('remote_settings').where('account_kid', '=', w.account_kid)
    await account.set({ consent: 'ask' }).execute()
    expect(await refused(open('terminal'))).toBe('remote_no_consent')
    await account.set({ consent: 'notify' }).execute()
    const looker = await remotePerson(w.http, ['deviceDetailRemote'], { account_kid: w.account_kid })
    expect(await refused(looker.call('open_terminal', { terminal_kid: kid }))).toBe('no_permission')
    const stranger = await remotePerson(w.http, undefined, { account_kid: await addAccount(w.deps) })
    expect(await refused(stranger.call('open_terminal', { terminal_kid: kid }))).toBe('not_found')
    expect(agent.toldOf('new')).toEqual([])
  })

  const filesOf = async () => fileViewer(await open('files'))
  const putOf = (bytes: Buffer, name = 'new.bin', path = '/home') => ({
    ...{ path, name, size: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })

  it('reads a file piece by piece, from its beginning and from its middle', async () => {
    const bytes = randomBytes(3 * piece + 17)
    agent.files.set('/var/log/till.log', { bytes, modified_at: new Date('2026-01-05T00:00:00Z') })
    const viewer = await filesOf()
    const read = (offset: number) => viewer.ask({ read: { path: '/var/log/till.log', offset, length: piece } })
    const all = await Promise.all([0, piece, 2 * piece, 3 * piece, 3 * piece + 17].map(read))
    expect(Buffer.concat(all.map((each) => each.bytes!)).equals(bytes)).toBe(true)
    expect(all[4]).toMatchObject({ read: { length: 0, size: bytes.length, modified_at: '2026-01-05T00:00:00.000Z' } })
    expect(agent.toldOf('get_file')).toHaveLength(1)
    const part = await read(piece + 5)
    expect(part.bytes!.equals(bytes.subarray(piece + 5, 2 * piece + 5))).toBe(true)
    agent.files.set('/empty', { bytes: Buffer.alloc(0), modified_at: new Date() })
    expect(await viewer.ask({ read: { path: '/empty', offset: 0, length: piece } })).toMatchObject({
      read: { length: 0, size: 0 },
    })
  })

  it.each([0, 1, 4_096, piece, 2 * piece + 3])('takes a file of %i bytes', async (size) => {
    const bytes = randomBytes(size)
    const viewer = await filesOf()
    expect(await viewer.ask({ put: putOf(bytes) })).toMatchObject({ position: 0 })
    for (let at = 0; at < size; at += piece) {
      const part = bytes.subarray(at, at + piece)
      expect(await viewer.ask({ write: { length: part.length } }, part)).toMatchObject({ position: at + part.length })
    }
    expect(await viewer.ask({ place: true })).toMatchObject({ done: '/home/new.bin' })
    expect(agent.files.get('/home/new.bin')!.bytes.equals(bytes)).toBe(true)
  })

  it('keeps nothing of a file that is another, or that the device cannot place, and goes on', async () => {
    const viewer = await filesOf()
    const code = (said: object) => (said as { error: { code: string } }).error.code
    await viewer.ask({ put: { ...putOf(Buffer.from('abc')), sha256: 'a'.repeat(64) } })
    await viewer.ask({ write: { length: 3 } }, Buffer.from('abc'))
    expect(code(await viewer.ask({ place: true }))).toBe('hash_mismatch')
    await viewer.ask({ put: putOf(Buffer.from('ab')) })
    expect(code(await viewer.ask({ write: { length: 3 } }, Buffer.from('abc')))).toBe('too_large')
    expect(code(await viewer.ask({ place: true }))).toBe('refused')
    await viewer.ask({ put: putOf(Buffer.from('abc'), 'x', '/readonly/') })
    await viewer.ask({ write: { length: 3 } }, Buffer.from('abc'))
    expect(await viewer.ask({ place: true })).toMatchObject({ error: { code: 'refused', message: 'failed to commit' } })
    expect(agent.files.size).toBe(0)
    agent.files.set('/etc', { bytes: Buffer.alloc(0), modified_at: new Date(), is_folder: true })
    expect(code(await viewer.ask({ read: { path: '/etc', offset: 0, length: 1 } }))).toBe('not_supported')
    expect(code(await viewer.ask({ read: { path: '/none', offset: 0, length: 1 } }))).toBe('refused')
    expect(code(await viewer.ask({ list: { path: '/' } }))).toBe('not_supported')
    await viewer.ask({ put: putOf(Buffer.from('abc')) })
    await viewer.ask({ write: { length: 3 } }, Buffer.from('abc'))
    expect(await viewer.ask({ place: true })).toMatchObject({ done: '/home/new.bin' })
  })

  it.each([
    ['no MessagePack', Buffer.from([0xc1])],
    ['nothing', Buffer.alloc(0)],
    ['no message', Buffer.from(encode({ hello: 1 }))],
    ['a number for a header', Buffer.from(encode({ hdr: 7 }))],
    ['text for a body', Buffer.from(encode({ hdr: { proto: 1, typ: 'shell', sid: 'x' }, body: 'x' }))],
    ['an array without end', Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff])],
    ['more than it may', Buffer.alloc(100_000)],
    ['a depth without end', Buffer.alloc(60_000, 0x91)],
  ])('is let go for %s', async (_name, bytes) => {
    agent.socket.send(bytes)
    await until('it to be let go', () => agent.socket.readyState === agent.socket.CLOSED)
    expect(w.http.internal_errors).toEqual([])
  })

  it('that sends more than it was asked for costs a bound of memory, and is let go', async () => {
    agent.files.set('/big', { bytes: Buffer.alloc(piece), modified_at: new Date() })
    const viewer = await filesOf()
    await viewer.ask({ read: { path: '/big', offset: 0, length: 1 } })
    const more = (of: string) =>
      agent.say({ proto: 2, typ: 'file_chunk', sid: of, props: { offset: 0 }, body: Buffer.alloc(4_096) })
    for (let n = 0; n < 200; n += 1) more('of nobody')
    expect(await viewer.ask({ read: { path: '/big', offset: 0, length: 1 } })).toMatchObject({ read: { length: 1 } })
    const { sid } = agent.toldOf('get_file').at(-1)!
    for (let n = 0; n < 200; n += 1) more(sid)
    await until('it to be let go', () => agent.socket.readyState === agent.socket.CLOSED)
  })

  it('is nobody without a token, with that of another, and with one that has ended', async () => {
    for (const bearer of ['', 'x', `${kid}:wrong`, `${kid}:`, client.bearer.toUpperCase()]) {
      const other = new HandmadeConnect({ server: w.http.url, bearer })
      expect(await other.opened(), bearer).toBe(401)
    }
    const other = await w.joined()
    const stranger = new HandmadeConnect({ server: w.http.url, bearer: `${other.id}:${other.secret}` })
    await stranger.opened()
    await until('a device of another kind to be let go', () => stranger.socket.readyState === stranger.socket.CLOSED)
    expect(await tunnelsOf(other.id!)).toEqual([])
    const former = client.bearer
    await client.ask()
    await until('what its former token opened to be let go', () => agent.socket.readyState === agent.socket.CLOSED)
    const late = new HandmadeConnect({ server: w.http.url, bearer: former })
    expect(await late.opened()).toBe(401)
  })
})
