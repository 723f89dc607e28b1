import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interleaved, row } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { start, treeCpuSeconds } from './processes.ts'

const rounds = 5
const [http, mqtt] = [18_481, 18_483]

/** P10: cold start to the first page and the first MQTT CONNACK, against a bare open of the same database. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'mdm-p10-'))
  try {
    const used = join(home, 'used')
    await serverStart(used)
    const copies = { n: 0 }
    const fresh = () => join(home, `fresh-${copies.n++}`)
    log('restart on existing data')
    const restarts = await interleaved(
      rounds,
      () => serverStart(used),
      () => bareOpen(join(used, 'db', 'cluster')),
    )
    log('first start')
    const firsts = await interleaved(
      rounds,
      () => serverStart(fresh()),
      () => bareOpen(fresh()),
    )
    return [
      row(
        'P10',
        'start to first page and CONNACK, seconds / bare open of the database',
        restarts,
        '<= 2.5',
        (r) => r.median <= 2.5,
      ),
      row(
        'P10',
        'first start on an empty folder, seconds / bare creation of a database',
        firsts,
        '<= 1.5',
        (r) => r.median <= 1.5,
      ),
    ]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function serverStart(data: string): Promise<Sample> {
  const begun = performance.now()
  const server = start(['apps/server/dist/main.js'], {
    MDM_DATA: data,
    MDM_HTTP_PORT: String(http),
    MDM_MQTT_PORT: String(mqtt),
    MDM_HTTP_HOST: '127.0.0.1',
    MDM_MQTT_HOST: '127.0.0.1',
    MDM_LOG_LEVEL: 'error',
  })
  await Promise.all([soon(firstPage), soon(firstConnack)])
  const sample = { value: (performance.now() - begun) / 1000, cpu_seconds: treeCpuSeconds(server.pid) }
  await server.stop()
  return sample
}

/** The same engine and settings, in a process that only opens, asks and says so. */
async function bareOpen(data: string): Promise<Sample> {
  const from = await mkdtemp(join(tmpdir(), 'mdm-bare-'))
  await cp(data, from, { recursive: true }).catch(() => undefined)
  const begun = performance.now()
  const bare = start(['bench/bare-open.mjs', from], {})
  await once(bare.child, 'message')
  const sample = { value: (performance.now() - begun) / 1000, cpu_seconds: treeCpuSeconds(bare.pid) }
  await bare.stop()
  await rm(from, { recursive: true, force: true })
  return sample
}

/** Looks until it is so; what throws is not so yet. */
export async function soon(look: () => Promise<boolean>): Promise<void> {
  while (!(await look().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 5))
}
const firstPage = async (): Promise<boolean> => {
  const reply = await fetch(`http://127.0.0.1:${http}/login`, { headers: { accept: 'text/html' } })
  return reply.ok && (await reply.text()).includes('<html')
}
/** A refused CONNECT is answered by a CONNACK too, after the server was asked. */
function firstConnack(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(mqtt, '127.0.0.1')
    const field = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)])
    const kid = '00000000-0000-7000-8000-000000000000'
    const body = Buffer.concat([
      field('MQTT'),
      Buffer.from([4, 0xc2, 0, 60]),
      field(kid),
      field(kid),
      field('no secret'),
    ])
    socket.on('connect', () => socket.write(Buffer.concat([Buffer.from([0x10, body.length]), body])))
    socket.on('data', (data) => {
      socket.destroy()
      resolve((data[0]! & 0xf0) === 0x20)
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed')))
  })
}
