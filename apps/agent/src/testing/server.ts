import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { Aedes } from 'aedes'
import { expect, vi } from 'vitest'
import { Announce, downTopic, Enrol, parseUp, up } from '@mdm/device-link'
import type { ApiList, Down, DownName, Up, UpName } from '@mdm/device-link'
import type { Agent } from '../agent.ts'

type Said = { [N in UpName]: { name: N; kid: string; body: Up[N] } }[UpName]
type Registered = { kid: string; secret: string }

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
const answer = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const refuse = (response: ServerResponse, status: number, result: number, message: string) =>
  answer(response, status, { result, message, data: {} })

/** The far end of the link, as little of it as an agent needs: enrolment, a real broker, files with Range, an upload slot. */
export async function startTestServer() {
  const announced = new Map<string, { code: string; claim_hash: string }>()
  const registered = new Map<string, Registered>()
  const said: Said[] = []
  const faults: string[] = []
  const files = new Map<string, Buffer>()
  const uploads: Buffer[] = []
  const requests: { path: string; range: string | undefined; authorization: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const settings = {
    /** Bytes after which a download is cut, once for each number. */
    cuts: [] as number[],
    /** Bytes after which a download stands still, once for each number. */
    stalls: [] as number[],
    /** What is sent instead of the file. */
    tamper: undefined as Buffer | undefined,
    slot_is_full: false,
    /** What a device is told whose secret is right and whose CONNECT is refused. */
    quarantine: undefined as { retry_after: number; quarantined_until: string } | undefined,
    /** How long a device waits that is not registered yet. */
    poll_seconds: 1,
    /** What a device is told that asks which keys of publishers it may believe. */
    os_keys: [] as string[],
    /** Which apps may call what of a device, as it is told; undefined: not found. */
    api_list: undefined as ApiList | undefined,
    /** What it is told first instead, once for each: a status, or that the connection ends. */
    os_keys_faults: [] as (503 | 'cut')[],
    /** Downloads wait until this resolves. */
    gate: undefined as Promise<void> | undefined,
  }

  const broker = await Aedes.createBroker({
    authenticate(client, username, password, callback) {
      const known = [...registered.values()].find(({ kid }) => kid === username)
      const is_right = known && client.id === known.kid && password?.toString() === known.secret
      if (is_right && !settings.quarantine) return callback(null, true)
      callback(Object.assign(new Error('not authorised'), { returnCode: 5 }), false)
    },
    authorizePublish(_client, packet, callback) {
      const topic = parseUp(packet.topic)
      if (!topic || packet.retain) {
        faults.push(`topic ${packet.topic}`)
        return callback(new Error('refused'))
      }
      const parsed = up[topic.name].safeParse(JSON.parse(packet.payload.toString()))
      if (parsed.success) said.push({ ...topic, body: parsed.data } as Said)
      else faults.push(`${topic.name}: ${parsed.error.message} ${packet.payload.toString().slice(0, 300)}`)
      callback(null)
    },
  })
  const mqtt = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    broker.handle(socket)
  })
  await new Promise<void>((resolve) => mqtt.listen(0, '127.0.0.1', resolve))
  const mqttUrl = `mqtt://127.0.0.1:${(mqtt.address() as AddressInfo).port}`

  function announce(body: unknown, response: ServerResponse) {
    const { sn, claim_hash } = Announce.parse(body)
    if (registered.has(sn)) return refuse(response, 422, 40021, 'Device already registered')
    const code = announced.get(sn)?.code ?? randomBytes(3).toString('hex').toUpperCase().replaceAll(/[01]/g, 'X')
    announced.set(sn, { code, claim_hash })
    answer(response, 200, { registration_code: code, poll_seconds: settings.poll_seconds })
  }
  const tokens = new Set<string>()
  function enrol(body: unknown, response: ServerResponse) {
    const { sn, claim, qrcode } = Enrol.parse(body)
    const known = announced.get(sn)
    if (!known || createHash('sha256').update(claim).digest('hex') !== known.claim_hash)
      return refuse(response, 422, 40020, 'Device does not exist')
    if (qrcode !== undefined && !registered.has(sn)) {
      if (!tokens.delete(qrcode)) return refuse(response, 422, 40025, 'QR code invalid or expired')
      register(sn, known.code)
    }
    const device = registered.get(sn)
    if (!device) return answer(response, 200, { state: 'waiting', poll_seconds: settings.poll_seconds })
    announced.delete(sn)
    answer(response, 200, { state: 'registered', ...device, mqtt: [mqttUrl], time: new Date().toISOString() })
  }
  function register(sn: string, code: string | undefined) {
    expect(announced.get(sn)?.code).toBe(code)
    registered.set(sn, { kid: randomUUID(), secret: randomBytes(32).toString('hex') })
  }

  async function registerByCall(request: IncomingMessage, response: ServerResponse) {
    if (request.headers.authorization !== 'Bearer operator') return refuse(response, 401, 401, 'Sign in')
    const { sn, registration_code } = JSON.parse((await readAll(request)).toString()) as Record<string, string>
    if (sn === undefined || announced.get(sn)?.code !== registration_code)
      return refuse(response, 422, 40022, 'Registration code does not match')
    register(sn, registration_code)
    answer(response, 200, { result: 1, message: '', data: {} })
  }

  async function file(name: string, request: IncomingMessage, response: ServerResponse) {
    await settings.gate
    const whole = files.get(name)
    if (!whole) return refuse(response, 404, 404, 'No such file')
    const bytes = settings.tamper ?? whole
    const etag = `"${createHash('sha256').update(whole).digest('hex')}"`
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const is_partial = from > 0 && request.headers['if-range'] === etag
    const body = is_partial ? bytes.subarray(from) : bytes
    response.writeHead(is_partial ? 206 : 200, {
      etag,
      'content-length': body.length,
      ...(is_partial ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    })
    const stall = settings.stalls.shift()
    if (stall !== undefined) return void response.write(body.subarray(0, stall))
    const cut = settings.cuts.shift()
    if (cut === undefined) return void response.end(body)
    response.write(body.subarray(0, cut), () => setTimeout(() => response.destroy(), 20))
  }

  const http = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, range: request.headers.range, authorization: request.headers.authorization })
    const handle = async () => {
      if (path === '/device/announce') return announce(JSON.parse((await readAll(request)).toString()), response)
      if (path === '/device/enrol') return enrol(JSON.parse((await readAll(request)).toString()), response)
      if (path === '/api/terminal/manual_registered?account_kid=customer') return registerByCall(request, response)
      const bearer = request.headers.authorization?.replace('Bearer ', '')
      if (![...registered.values()].some(({ kid, secret }) => bearer === `${kid}:${secret}`))
        return refuse(response, 401, 401, 'Not authorised')
      if (path === '/device/standing' && settings.quarantine)
        return answer(response, 200, { state: 'quarantined', ...settings.quarantine })
      if (path === '/device/os-keys') {
        const fault = settings.os_keys_faults.shift()
        if (fault === 'cut') return void response.destroy()
        if (fault) return refuse(response, fault, fault, 'Starting')
        return answer(response, 200, { result: 1, message: '', data: { keys: settings.os_keys } })
      }
      if (path === '/device/api-authorisations') {
        if (!settings.api_list) return refuse(response, 404, 404, 'Not found')
        return answer(response, 200, { result: 1, message: '', data: settings.api_list })
      }
      if (path.startsWith('/files/')) return file(path.slice(7), request, response)
      if (/^\/(upload\/slot|device\/slot\/[\w-]+)$/.test(path) && request.method === 'PUT') {
        const picture = await readAll(request)
        if (settings.slot_is_full) return refuse(response, 409, 409, 'Filled already')
        uploads.push(picture)
        return answer(response, 200, { result: 1, message: '', data: { object: 'picture-1' } })
      }
      refuse(response, 404, 404, 'Not found')
    }
    handle().catch((error: Error) => refuse(response, 400, 10_000, error.message))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

  const send = async (kid: string, name: DownName, body: unknown): Promise<void> => {
    const payload = Buffer.from(JSON.stringify(body))
    const packet = { cmd: 'publish', topic: downTopic(kid, name), payload, qos: 1, retain: false, dup: false } as const
    await new Promise<void>((resolve, reject) => broker.publish(packet, (error) => (error ? reject(error) : resolve())))
  }
  const of = <N extends UpName>(name: N, kid?: string) =>
    said
      .filter((one): one is Extract<Said, { name: N }> => one.name === name && (kid === undefined || one.kid === kid))
      .map(({ body }) => body as Up[N])

  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    http,
    settings,
    said,
    faults,
    uploads,
    requests,
    tokens,
    registered,
    announced,
    register,
    /** Registers the device of an agent by its code, which it learns at once. */
    async admit(agent: Agent) {
      await agent.reached('waiting')
      register(agent.sn!, agent.registration_code)
      agent.askRegistered()
    },
    of,
    send,
    /** Forgets a device, as cancelling it does. */
    cancelDevice(sn: string) {
      const device = registered.get(sn)
      registered.delete(sn)
      for (const socket of sockets) socket.destroy()
      return device
    },
    dropAll() {
      for (const socket of sockets) socket.destroy()
    },
    addFile(name: string, bytes: Buffer) {
      files.set(name, bytes)
      const digest = (kind: string) => createHash(kind).update(bytes).digest('hex')
      return {
        name,
        size: bytes.length,
        md5: digest('md5'),
        sha256: digest('sha256'),
        url: `files/${name}`,
        path: '/sdcard/Download',
      }
    },
    async task(kid: string, work: { type: string; payload: unknown }, more: Partial<Down['task']> = {}) {
      const task_kid = randomUUID()
      const task = {
        task_kid,
        attempt: 1,
        version: 3,
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        ...more,
        ...work,
      }
      await send(kid, 'task', task)
      return task
    },
    /** Reports of a task in the order they came, repeated states of progress left out. */
    states: (task_kid: string) =>
      of('task')
        .filter((report) => report.task_kid === task_kid)
        .map(({ state }) => state)
        .filter((state, at, all) => state !== 'downloading' || all[at - 1] !== 'downloading'),
    report: async (task_kid: string, state: string): Promise<Up['task']> =>
      vi.waitFor(
        () => {
          const found = of('task').find((report) => report.task_kid === task_kid && report.state === state)
          if (!found)
            throw new Error(`no ${state} of ${JSON.stringify(of('task').filter((r) => r.task_kid === task_kid))}`)
          return found
        },
        { interval: 20 },
      ),
    async close() {
      for (const socket of sockets) socket.destroy()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
      await new Promise<void>((resolve) => broker.close(() => resolve()))
      await new Promise((resolve) => mqtt.close(resolve))
    },
  }
}
export type TestServer = Awaited<ReturnType<typeof startTestServer>>
