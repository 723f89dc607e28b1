import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from '../body/command.ts'
import { rfbClient } from '../testing/rfb-client.ts'
import { remoteOptionsFrom } from './linux-remote.ts'
import { programPath } from './process.ts'
import { vncResponse } from './vnc-login.ts'
import { vncScreen } from './vnc-screen.ts'

let folder: string
const opened: Duplex[] = []
const servers: Server[] = []
const children: ChildProcess[] = []
const sockets: Socket[] = []
const { signal } = new AbortController()
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-vnc-'))))
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.destroy()
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
  for (const child of children.splice(0)) {
    const ended = new Promise((resolve) => child.on('exit', resolve))
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
  }
})
afterAll(() => rm(folder, { recursive: true }))

async function listening(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    serve(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
async function screenAt(port: number, more: { password_file?: string; clipboard?: boolean } = {}) {
  const { clipboard = true, ...at } = more
  const source = await vncScreen({ host: '127.0.0.1', port, ...at }, { clipboard }, signal)
  opened.push(source.stream)
  source.stream.on('error', () => {})
  return source
}
async function passwordFile(text: string): Promise<string> {
  const path = join(folder, 'password')
  await writeFile(path, `${text}\n`, { mode: 0o600 })
  return path
}

test('the answer to a challenge is DES under a mirrored password', () => {
  const challenge = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  // By `openssl enc -des-ecb -provider legacy`, the bits of each byte of the password the other way round.
  expect(vncResponse(challenge, 'password').toString('hex')).toBe('b866924125c8eebb9debc1db61c538e2')
  expect(vncResponse(challenge, 'password and more')).toEqual(vncResponse(challenge, 'password'))
  expect(vncResponse(challenge, 'password')).not.toEqual(vncResponse(challenge, 'passwore'))
})

const asText = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)])
test.each([
  ['what listens is no VNC server', 'no_source', [Buffer.from('HTTP/1.1 400 Bad')], undefined],
  ['it refuses whoever comes', 'permission_missing', [Buffer.from('RFB 003.008\n\0'), asText('too many')], undefined],
  ['it wants a password and there is none', 'permission_missing', [Buffer.from('RFB 003.008\n\x01\x02')], undefined],
  ['it speaks TLS alone', 'permission_missing', [Buffer.from('RFB 003.008\n\x01\x13')], 'secret'],
  [
    'the password is wrong',
    'permission_missing',
    [Buffer.from('RFB 003.008\n\x01\x02'), Buffer.alloc(16), Buffer.from([0, 0, 0, 1]), asText('no')],
    'secret',
  ],
  [
    'a server of RFB 3.3 refuses',
    'permission_missing',
    [Buffer.from('RFB 003.003\n\0\0\0\0'), asText('no')],
    undefined,
  ],
  ['it ends in the middle', 'no_source', [Buffer.from('RFB 003.008\n\x01')], undefined],
] as const)('a VNC server cannot be opened: %s', async (_what, code, bytes, password) => {
  const port = await listening((socket) => void socket.end(Buffer.concat([...bytes])))
  const at = password === undefined ? {} : { password_file: await passwordFile(password) }
  await expect(screenAt(port, at)).rejects.toMatchObject({ code })
})

test('where nothing listens, or the password cannot be read, nothing is opened', async () => {
  const port = await listening(() => {})
  await new Promise((resolve) => servers.pop()!.close(resolve))
  await expect(screenAt(port)).rejects.toMatchObject({ code: 'no_source', message: /ECONNREFUSED/ })
  await expect(screenAt(port, { password_file: join(folder, 'absent') })).rejects.toMatchObject({
    code: 'permission_missing',
  })
})

test('only whole messages reach the server, with keys between them and without what is switched off', async () => {
  const got: Buffer[] = []
  const port = await listening((socket) => {
    socket.on('data', (bytes) => got.push(bytes))
    socket.write(Buffer.from('RFB 003.003\n\0\0\0\x01'))
  })
  const { stream, take } = await screenAt(port, { clipboard: false })
  stream.write(Buffer.from('RFB 003.008\n'))
  stream.write(Buffer.from([1, 0]))
  stream.write(Buffer.from([4, 1, 0, 0]))
  take!({ key: 'home' })
  stream.write(Buffer.from([0, 0, 0, 97, 6, 0, 0, 0, 0, 0, 0, 2, 104, 105]))
  stream.write(Buffer.from([2, 0, 0, 2, 0, 0, 0, 0, 255, 255, 254, 196]))
  const greeting = Buffer.from('RFB 003.003\n\x01', 'latin1')
  const home = [4, 1, 0, 0, 16, 8, 255, 24, 4, 0, 0, 0, 16, 8, 255, 24]
  const rest = Buffer.from([...home, 4, 1, 0, 0, 0, 0, 0, 97, 2, 0, 0, 1, 0, 0, 0, 0])
  await vi.waitFor(() => expect(Buffer.concat(got)).toEqual(Buffer.concat([greeting, rest])))
  take!({ key: 'power' })
  take!({ quality: 'low' })
  const over = new Promise((resolve) => stream.once('error', resolve))
  stream.write(Buffer.from([99]))
  expect(await over).toMatchObject({ message: /unknown type 99/ })
})

test('a VNC server is one of this machine, unless its owner says otherwise', () => {
  const vncOf = (vnc: string, more = {}) => remoteOptionsFrom({ vnc, ...more }).vnc
  expect(vncOf('127.0.0.1:5901')).toMatchObject({ host: '127.0.0.1', port: 5901 })
  expect(vncOf('[::1]:5900')).toMatchObject({ host: '::1', port: 5900 })
  expect(() => vncOf('192.0.2.7:5900')).toThrow('not of this machine')
  expect(() => vncOf('127.0.0.1.example.com:5900')).toThrow('not of this machine')
  expect(vncOf('192.0.2.7:5900', { 'vnc-anywhere': 'yes' })).toMatchObject({ host: '192.0.2.7' })
  for (const wrong of ['localhost', 'localhost:0', 'localhost:65536', ':5900', 'a:b:1'])
    expect(() => vncOf(wrong)).toThrow('HOST:PORT')
  expect(remoteOptionsFrom({})).toEqual({ allow_shell: false })
  expect(remoteOptionsFrom({ vnc: 'localhost:5900', 'allow-shell': '1' })).toMatchObject({
    allow_shell: true,
    vnc: { port: 5900 },
  })
})

const missing = ['Xtigervnc', 'xterm', 'xclip'].filter((program) => programPath(program) === undefined)
const without = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')} here)`
/** By which TigerVNC hides passwords in files: it is the same for everybody. */
const file_key = Buffer.from([23, 82, 107, 6, 35, 78, 88, 7]).toString('latin1')

/** An X display that TigerVNC shows, behind the password `pass1234`. */
async function tigerVnc() {
  const port = await listening(() => {})
  await new Promise((resolve) => servers.pop()!.close(resolve))
  const file = join(folder, 'tigervnc')
  await writeFile(file, vncResponse(Buffer.from('pass1234'), file_key), { mode: 0o600 })
  const security = ['-SecurityTypes', 'VncAuth', '-PasswordFile', file, '-localhost', '-nolisten', 'tcp']
  const args = ['-displayfd', '3', '-rfbport', `${port}`, '-geometry', '480x800', '-depth', '24', ...security]
  const server = spawn('Xtigervnc', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  children.push(server)
  let [number, said] = ['', '']
  server.stderr!.on('data', (bytes: Buffer) => (said += bytes.toString()))
  ;(server.stdio[3] as Readable).on('data', (bytes: Buffer) => (number += bytes.toString()))
  await vi.waitFor(() => expect(number, said).toMatch(/^\d+\n/))
  return { port, display: `:${number.trim()}`, server }
}

test.skipIf(missing.length > 0)(`a real VNC server is opened, typed into and read from${without}`, async () => {
  const { port, display, server } = await tigerVnc()
  await expect(screenAt(port, { password_file: await passwordFile('wrong') })).rejects.toMatchObject({
    code: 'permission_missing',
    message: /refuses/,
  })
  const env = { ...process.env, DISPLAY: display, LC_ALL: 'C.UTF-8' }
  const typed = join(folder, 'typed')
  const keys = '*VT100.translations: #override <Key>XF86HomePage: string("[home]")'
  const shell = ['sh', '-c', 'cat > "$0"', typed]
  const xterm = spawn('xterm', ['-u8', '-geometry', '60x40+0+0', '-xrm', keys, '-e', ...shell], {
    env,
    stdio: 'ignore',
  })
  children.push(xterm)

  const { stream, take } = await screenAt(port, { password_file: await passwordFile('pass1234') })
  const viewer = await rfbClient(stream)
  expect(viewer).toMatchObject({ security: [1], size: { width: 480, height: 800 } })
  viewer.setEncodings(0)
  viewer.setFormat(false, [255, 255, 255], [16, 8, 0])
  // Without a window manager the keys go where the pointer is; the window is there when the picture is not one colour.
  viewer.pointer(100, 100, 0)
  viewer.request(false)
  do await viewer.update()
  while ((viewer.request(true), new Set(viewer.pixels.slice(0, 480 * 300)).size < 2))
  await vi.waitFor(async () => expect(await readFile(typed, 'utf8')).toBe(''))
  viewer.type('Xin chào Đà Nẵng, thế ạ 你好\n')
  take!({ key: 'home' })
  viewer.type('\n')
  await vi.waitFor(async () => expect(await readFile(typed, 'utf8')).toBe('Xin chào Đà Nẵng, thế ạ 你好\n[home]\n'))

  viewer.cut('from the viewer')
  await vi.waitFor(async () => {
    const { stdout } = await runCommand(['xclip', '-o', '-selection', 'clipboard'], {
      timeout_ms: 5_000,
      env: { DISPLAY: display },
    })
    expect(stdout.toString()).toBe('from the viewer')
  })
  const copy = spawn('xclip', ['-quiet', '-i', '-selection', 'clipboard'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
  children.push(copy)
  copy.stdin.end('from the device')
  while (viewer.copied.length === 0) {
    viewer.request(false)
    await viewer.update()
  }
  expect(viewer.copied).toEqual(['from the device'])

  // Another viewer at the same time, and the end of the server is theirs.
  const second = await screenAt(port, { password_file: await passwordFile('pass1234') })
  const other = await rfbClient(second.stream)
  other.request(false)
  expect((await other.update()).length).toBeGreaterThan(0)
  server.kill('SIGKILL')
  for (const each of [viewer, other]) {
    const toTheEnd = async () => {
      for (;;) {
        each.request(true)
        await each.update()
      }
    }
    await expect(toTheEnd()).rejects.toThrow()
  }
})
