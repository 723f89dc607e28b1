import { file_frame_bytes, fileFrame } from '@mdm/device-link'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fileViewer } from '../../../testing/file-viewer.ts'
import { onlineDevice, refused, remotePerson, remoteSettings, viewerEnd } from '../../../testing/remote.ts'
import type { RemoteDevice } from '../../../testing/remote.ts'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { filesFilter } from './files-filter.ts'

let w: TestHttpServer
beforeAll(async () => void (w = await testHttpServer()))
afterAll(async () => {
  await w.close()
  expect(w.internal_errors).toEqual([])
})

const list = { id: 1, list: { path: '/sdcard' } }
const read = (offset: number) => ({ id: 2, read: { path: '/sdcard/a\u001b[2Jb', offset, length: 10 } })
const put = { id: 3, put: { path: '/sdcard', name: 'c', size: 4, sha256: 'a'.repeat(64) } }
const write = { id: 4, write: { length: 4 } }

describe('what a viewer asks of files', () => {
  const filter = (control = true) => {
    const lines: string[] = []
    return { lines, ...filesFilter({ control }, (line) => lines.push(line)) }
  }
  const raw = (text: string) => {
    const header = Buffer.from([0, 0, 0, 0, 0])
    header.writeUInt32BE(Buffer.byteLength(text), 1)
    return Buffer.concat([header, Buffer.from(text)])
  }

  it('goes on in whole questions, however it comes', () => {
    const { pass, lines } = filter()
    const said = Buffer.concat([list, read(0), read(10), put, write, Buffer.from('true')].map(fileFrame))
    const came = [...said].map((byte) => pass(Buffer.from([byte])))
    expect(Buffer.concat(came)).toEqual(said)
    expect(lines).toEqual(['read /sdcard/a\uFFFD[2Jb\r\n', 'put /sdcard / c: 4 bytes\r\n'])
  })
  it('is no change of files from who may only look', () => {
    for (const question of [put, write, { id: 5, place: true as const }, { id: 6, make_folder: { path: '/x' } }])
      expect(() => filter(false).pass(Buffer.from(fileFrame(question)))).toThrow('may not')
    const { pass } = filter(false)
    expect(pass(Buffer.from(fileFrame(list))).length).toBeGreaterThan(0)
  })
  it.each([
    ['bytes that nothing announced', Buffer.from(fileFrame(Buffer.from('x')))],
    ['no JSON', raw('{')],
    ['no question', raw('{"id":1,"format":true}')],
    ['two questions in one', raw('{"id":1,"list":{"path":"/"},"put":{}}')],
    ['other bytes than were announced', Buffer.concat([fileFrame(write), fileFrame(Buffer.from('12345'))])],
    ['a question in the middle of bytes', Buffer.concat([fileFrame(write), fileFrame(list)])],
    ['a question without end', Buffer.from([0, 0, 1, 0, 0])],
    ['bytes without end', Buffer.from([1, 255, 255, 255, 255])],
    ['no frame', Buffer.from([7, 0, 0, 0, 0])],
  ])('ends with %s', (_name, said) => {
    expect(() => filter().pass(said)).toThrow()
  })
  it('costs a frame of memory at most', () => {
    const { pass } = filter()
    pass(Buffer.from(fileFrame({ id: 4, write: { length: file_frame_bytes.piece } })))
    const bytes = Buffer.from(fileFrame(Buffer.alloc(file_frame_bytes.piece)))
    expect(pass(bytes.subarray(0, -1))).toHaveLength(0)
    expect(pass(bytes.subarray(-1))).toHaveLength(bytes.length)
  })
})

describe('a session of files', () => {
  let ann: Awaited<ReturnType<typeof remotePerson>>
  let device: RemoteDevice
  beforeEach(async () => {
    ann = await remotePerson(w)
    device = await onlineDevice(w, ann.account_kid)
  })

  it('asks nobody, tells at the device who looks, and records which files were asked for', async () => {
    await remoteSettings(w.deps, ann.account_kid)
    const opened = await ann.call('open_files', { terminal_kid: device.kid })
    expect(device.asked[0]).toMatchObject({ kind: 'files', consent: 'notify', view_only: false })
    const end = await viewerEnd(w.url, opened)
    const viewer = fileViewer(end)
    const far = device.ends[0]!
    const asked = viewer.ask({ read: { path: '/sdcard/a.txt', offset: 0, length: 10 } })
    await far.got(20)
    const modified_at = '2026-01-05T00:00:00.000Z'
    far.socket.send(fileFrame({ id: 1, read: { length: 2, size: 2, modified_at } }))
    far.socket.send(fileFrame(Buffer.from('hi')))
    expect(await asked).toMatchObject({ read: { size: 2 }, bytes: Buffer.from('hi') })
    const session_kid = opened.session.kid
    await ann.call('end', { kids: [session_kid] })
    await Promise.all([end.closed, far.closed])
    await expect
      .poll(async () => (await ann.call('get', { session_kid })).recordings)
      .toMatchObject([{ format: 'asciicast' }])
    const { recordings } = await ann.call('get', { session_kid })
    const { url } = await ann.call<{ url: string }>('watch', { recording_kid: recordings[0]!.kid })
    const text = await (await fetch(`${w.url}${url}`)).text()
    expect(text).toContain('read /sdcard/a.txt')
    expect(text).not.toContain('"hi"')
  })

  it('ends within a second of signing out, also in the middle of what is asked', async () => {
    const opened = await ann.call('open_files', { terminal_kid: device.kid })
    const end = await viewerEnd(w.url, opened)
    fileViewer(end).send(fileFrame(read(0)))
    await device.ends[0]!.got(20)
    await w.call('/api/login/logout', { method: 'POST', headers: ann.bearer, body: '{}' })
    const since = performance.now()
    const ended = await Promise.all([end.closed, device.ends[0]!.closed])
    expect(performance.now() - since).toBeLessThan(1_500)
    expect(ended.map(({ code }) => code)).toEqual([4002, 4002])
  })

  it('is out of reach of another tenant', async () => {
    const stranger = await remotePerson(w)
    expect(await refused(stranger.call('open_files', { terminal_kid: device.kid }))).toBe('not_found')
    const opened = await ann.call('open_files', { terminal_kid: device.kid })
    expect(await refused(stranger.call('join', { session_kid: opened.session.kid }))).toBe('not_found')
  })

  it('needs the right to files, and a right of its own to change them', async () => {
    const { account_kid } = ann
    const other = await remotePerson(w, ['deviceDetailRemote*'], { account_kid })
    expect(await refused(other.call('open_files', { terminal_kid: device.kid }))).toBe('no_permission')
    const looker = await remotePerson(w, ['deviceDetailFileManager'], { account_kid })
    const opened = await looker.call('open_files', { terminal_kid: device.kid })
    expect(device.asked[0]).toMatchObject({ view_only: true })
    const end = await viewerEnd(w.url, opened)
    const { send } = fileViewer(end)
    send(fileFrame(list))
    await device.ends[0]!.got(20)
    send(fileFrame(put))
    expect((await end.closed).reason).toBe('failed')
    expect(device.ends[0]!.bytes()).toEqual(Buffer.from(fileFrame(list)))
    expect(await refused(ann.call('join', { session_kid: opened.session.kid }))).toBe('not refused')
    expect(await refused(other.call('join', { session_kid: opened.session.kid }))).toBe('no_permission')
  })
})

describe('a person at a device who refuses', () => {
  const minute = 60_000
  const past = (ms: number, kid: string) =>
    w.deps.db
      .updateTable('remote_refusal')
      .set({ refused_at: new Date(w.deps.clock.now().getTime() - ms) })
      .where('terminal_kid', '=', kid)
      .execute()

  it('is left alone for longer each time, by everybody of the account, until they agree', async () => {
    const ann = await remotePerson(w)
    const { account_kid } = ann
    const bob = await remotePerson(w, undefined, { account_kid })
    const device = await onlineDevice(w, account_kid)
    const open = (by = ann) => refused(by.call('open_desktop', { terminal_kid: device.kid }))
    device.refuses = 'no_consent'
    expect(await open()).toBe('remote_no_consent')
    expect(await open()).toBe('remote_asked_lately')
    expect(await open(bob)).toBe('remote_asked_lately')
    expect(device.asked).toHaveLength(1)
    // What asks nobody goes on.
    device.refuses = undefined
    expect(await refused(ann.call('open_log', { terminal_kid: device.kid }))).toBe('not refused')
    device.refuses = 'no_consent'
    await past(2 * minute, device.kid)
    expect(await open(bob)).toBe('remote_no_consent')
    await past(3 * minute, device.kid)
    expect(await open()).toBe('remote_asked_lately')
    const said = await fetch(`${w.url}/api/terminal_remote/open_desktop`, {
      method: 'POST',
      headers: { ...ann.bearer, 'content-type': 'application/json', 'accept-language': 'en' },
      body: JSON.stringify({ terminal_kid: device.kid }),
    })
    expect(await said.json()).toMatchObject({ message: expect.stringContaining('again in 1 min.') })
    await past(4 * minute, device.kid)
    device.refuses = undefined
    expect(await open()).toBe('not refused')
    expect(await open()).toBe('not refused')
    device.refuses = 'asleep'
    expect(await open()).toBe('remote_asleep')
    expect(await open()).toBe('remote_asleep')
  })

  it('has refused nothing after a day, and at most an hour is waited', async () => {
    const ann = await remotePerson(w)
    const device = await onlineDevice(w, ann.account_kid)
    const open = () => refused(ann.call('open_desktop', { terminal_kid: device.kid }))
    device.refuses = 'no_consent'
    for (let times = 0; times < 8; times++) {
      expect(await open()).toBe('remote_no_consent')
      await past(60 * minute, device.kid)
    }
    await past(25 * 60 * minute, device.kid)
    expect(await open()).toBe('remote_no_consent')
    await past(2 * minute, device.kid)
    expect(await open()).toBe('remote_no_consent')
    // A clock that was set back does not make it longer.
    await past(-10 * minute, device.kid)
    expect(await open()).toBe('remote_no_consent')
  })
})
