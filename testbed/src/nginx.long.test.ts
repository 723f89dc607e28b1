import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSigned } from '@mdm/server/testing/certificates.ts'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { has_nginx, nginxSite, startNginx } from './nginx.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const title = has_nginx ? 'deploy/nginx.conf' : 'deploy/nginx.conf (skipped: the command nginx is not installed)'

describe.runIf(has_nginx)(title, () => {
  let folder: string
  let here: World
  let nginx: AsyncDisposable
  let port: number
  let redirect_port: number
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mdm-nginx-'))
    ;[port, redirect_port] = [await freePort(), await freePort()]
    here = await world({ env: { MDM_TRUST_PROXY: '127.0.0.1' } })
    const { cert, key } = selfSigned()
    await writeFile(join(folder, 'fullchain.pem'), cert)
    await writeFile(join(folder, 'privkey.pem'), key)
    // The site as it is handed out, but for what an operator writes into it: certificate, and ports that are free here.
    const site = (await nginxSite())
      .replaceAll('/etc/ssl/mdm/', `${folder}/`)
      .replace('listen 80;', `listen 127.0.0.1:${redirect_port};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
      .replace('http://127.0.0.1:8081', `http://127.0.0.1:${here.server.deps.config.http.port}`)
    nginx = await startNginx(site, async () => expect((await ask('/health/live')).statusCode).toBe(200))
  })
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]()
    await here?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const ask = (path: string, options: { method?: string; headers?: Record<string, string>; body?: Buffer } = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method = 'GET', headers = {}, body } = options
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          servername: 'localhost',
          path,
          method,
          rejectUnauthorized: false,
          agent: false,
          headers: { host: `localhost:${port}`, ...headers },
        },
        resolve,
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const token = () => here.customers[0]!.identity.token!

  test('leads to TLS, passes calls on, and keeps what is for monitors', async () => {
    const plain = await fetch(`http://127.0.0.1:${redirect_port}/device?sn=1`, { redirect: 'manual' })
    expect([plain.status, plain.headers.get('location')]).toEqual([301, 'https://127.0.0.1/device?sn=1'])
    expect((await ask('/metrics')).statusCode).toBe(404)
    const answer = await ask('/api/login/session', {
      headers: { authorization: `Bearer ${token()}` },
    })
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })

  test('takes an upload in pieces that no buffer of its own holds, and gives the same bytes back', async () => {
    const content = randomBytes(12 * 1024 * 1024)
    const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${token()}` }
    const made = await ask('/upload', {
      method: 'POST',
      headers: {
        ...headers,
        'upload-length': String(content.length),
        'upload-metadata': `filename ${Buffer.from('map.bin').toString('base64')}`,
        'content-length': '0',
      },
    })
    expect(made.statusCode).toBe(201)
    const { pathname } = new URL(String(made.headers.location), `https://localhost:${port}`)
    const half = 5 * 1024 * 1024
    for (const [at, piece] of [
      [0, content.subarray(0, half)],
      [half, content.subarray(half)],
    ] as const) {
      const sent = await ask(pathname, {
        method: 'PATCH',
        headers: {
          ...headers,
          'upload-offset': String(at),
          'content-type': 'application/offset+octet-stream',
          'content-length': String(piece.length),
        },
        body: piece,
      })
      expect([sent.statusCode, sent.headers['upload-offset']]).toEqual([204, String(at + piece.length)])
    }
    const customer = here.customers[0]!
    const { kid } = await customer.fileCloud.insert({ upload_kid: pathname.split('/').at(-1)!, name: 'map.bin' })
    const row = await here.server.deps.db
      .selectFrom('file_cloud')
      .select('sha256')
      .where('kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(row.sha256).toBe(createHash('sha256').update(content).digest('hex'))
  })

  test('live events come as they are sent, and a WebSocket of devices is let through', async () => {
    const stream = await ask(`/events?AccessToken=${token()}`)
    expect(stream.headers['content-type']).toContain('text/event-stream')
    let heard = ''
    stream.on('data', (chunk: Buffer) => void (heard += chunk.toString()))
    await here.customers[0]!.terminalGroup.insert({ name: 'Behind nginx' })
    await vi.waitFor(() => expect(heard).toContain('data:'))
    stream.destroy()

    const socket = new WebSocket(`wss://127.0.0.1:${port}/mqtt`, 'mqtt', {
      rejectUnauthorized: false,
      headers: { host: `localhost:${port}` },
    })
    await once(socket, 'open')
    expect(socket.protocol).toBe('mqtt')
    // CONNECT without a name: the broker answers it, which is refused (CONNACK, not authorised).
    socket.send(Buffer.from('100c00044d5154540402003c0000', 'hex'))
    const [reply] = (await once(socket, 'message')) as [Buffer]
    expect(reply[0]).toBe(0x20)
    socket.terminate()
  })
})
