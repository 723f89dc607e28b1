import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Call, Envelope, Out } from '@mdm/contract'
import { planner_options } from '../apps/server/src/db/postgres.ts'
import { startPostgres } from '../apps/server/src/testing/postgres.ts'
import { reply, startSource } from './children.ts'
import { treeMemory } from './processes.ts'
import type { Running } from './processes.ts'
import { seedPerson } from './seed.ts'
import type { ServerReady } from './server-process.ts'

const settle_ms = 3_000
const look_ms = 100
const mib = 1024 * 1024

/** A server on PostgreSQL, and a person of one account who is signed in. */
export type Site = {
  server: Running
  mqtt_port: number
  /** Without a slash at the end. */
  url: string
  client: pg.Client
  /** The address of its database. */
  database: string
  /** Its files. */
  data: string
  account_kid: string
  /** Of this person's session. */
  token: string
  /** What a browser would send, with this person's token. `path` as in `/api/terminal/paging`. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** Reads the answer of a call; throws what it refuses. */
  call<C extends Call>(call: C, input?: object): Promise<Out<C>>
  response(call: Call, input?: object): Promise<Response>
}

export async function withSite<T>(
  run: (site: Site) => Promise<T>,
  { postgres: settings = [] as readonly string[], env = {} as Record<string, string>, collects = false } = {},
): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'mdm-bench-'))
  const postgres = await startPostgres(['shared_buffers=256MB', 'max_wal_size=4GB', ...settings])
  const url = await postgres.createDatabase()
  const client = new pg.Client({ connectionString: url, options: planner_options })
  const server = startSource(
    'server-process.ts',
    {
      ...{ DATABASE_URL: url, MDM_ALLOW_PLAIN_DATABASE: 'true', MDM_DATA: data, MDM_LOG_LEVEL: 'error' },
      ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
      ...env,
    },
    { collects },
  )
  try {
    const { http_port, mqtt_port } = await reply<ServerReady>(server)
    await client.connect()
    const { account_kid, token } = await seedPerson(client)
    const send: Site['send'] = (path, { headers, ...init } = {}) =>
      fetch(`http://127.0.0.1:${http_port}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...headers },
      })
    const response: Site['response'] = ({ method, path }, input = {}) =>
      method === 'GET'
        ? send(`/api/${path}?${new URLSearchParams(input as Record<string, string>)}`)
        : send(`/api/${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) })
    const call = async <C extends Call>(of: C, input?: object) => {
      const { result, message, data } = (await (await response(of, input)).json()) as Envelope
      if (result !== 1) throw new Error(`${of.path}: ${result} ${message} ${JSON.stringify(data)}`)
      return data as Out<C>
    }
    return await run({
      server,
      mqtt_port,
      url: `http://127.0.0.1:${http_port}`,
      client,
      database: url,
      data,
      account_kid,
      token,
      send,
      call,
      response,
    })
  } finally {
    await client.end().catch(() => {})
    await server.stop()
    await postgres.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/** Uploads a file as the console does; its kid. */
export async function upload({ send }: Site, bytes: Uint8Array): Promise<string> {
  const tus = { 'tus-resumable': '1.0.0' }
  const created = await send('/upload', { method: 'POST', headers: { ...tus, 'upload-length': String(bytes.length) } })
  const kid = created.headers.get('location')!.split('/').at(-1)!
  await send(`/upload/${kid}`, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes),
  })
  return kid
}

/** MiB that the server takes while `run` works, above what it has at rest after it has worked: V8 keeps what it took. */
export async function memoryAbove(
  { server }: Site,
  log: (text: string) => void,
  run: () => Promise<void>,
): Promise<number> {
  await delay(settle_ms)
  const rest = treeMemory(server.pid)
  let peak = rest
  const watch = setInterval(() => (peak = Math.max(peak, treeMemory(server.pid))), look_ms)
  try {
    await run()
  } finally {
    clearInterval(watch)
  }
  const above = (peak - rest) / mib
  log(`memory: ${Math.round(rest / mib)} MiB at rest, ${Math.round(above)} MiB more at most`)
  return above
}
