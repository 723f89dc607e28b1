// npm run soak [-- --devices 1000 --minutes 30 --calm | --day]: what the server says of devices against what they did.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { startPostgres } from '@mdm/server/testing/postgres.ts'
import { caller } from '../testbed/src/caller.ts'
import { table } from '../testbed/src/soak/compare.ts'
import type { Line } from '../testbed/src/soak/compare.ts'
import { dayOf } from '../testbed/src/soak/day.ts'
import { soak } from '../testbed/src/soak/soak.ts'
import { root, step } from '../tools/terminal.mjs'
import { startMosquitto } from './mosquitto.ts'
import { treePss } from './processes.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string' },
    minutes: { type: 'string' },
    /** A day of 10,000 devices in an hour, on PostgreSQL and Mosquitto, which both have to be installed. */
    day: { type: 'boolean', default: false },
    /** Leaves the server alone, which is killed and started again half-way otherwise. */
    calm: { type: 'boolean', default: false },
  },
})
const devices = Number(values.devices ?? (values.day ? 10_000 : 1_000))
const minutes = Number(values.minutes ?? (values.day ? 60 : 30))
if (!Number.isInteger(devices) || devices < 1 || !(minutes > 0)) {
  console.error('--devices takes a whole number, --minutes a number, both above 0')
  process.exit(2)
}

const outage_ms = 30_000
/** Of docs/external-broker.md: otherwise a shift that begins overflows the queue of the server. */
const as_docs_say = ['max_inflight_messages 1000', 'max_queued_messages 100000']
const postgres = values.day ? await startPostgres(['fsync=on', 'shared_buffers=256MB']) : undefined
const broker = values.day ? await startMosquitto(as_docs_say) : undefined
const broker_url = broker && `mqtt://127.0.0.1:${broker.port}`
const data = await mkdtemp(join(tmpdir(), 'mdm-soak-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const env = {
  ...process.env,
  MDM_DATA: data,
  MDM_HTTP_PORT: String(port),
  MDM_HTTP_HOST: '127.0.0.1',
  MDM_LOG_LEVEL: 'error',
  SOAK_DEVICES: String(devices),
  ...(postgres && { DATABASE_URL: await postgres.createDatabase() }),
  ...(broker_url
    ? { MQTT_URL: broker_url, MDM_PUBLIC_MQTT_URL: broker_url, MDM_ALLOW_OPEN_BROKER: 'true' }
    : { MDM_MQTT_PORT: String(await freePort()), MDM_MQTT_HOST: '127.0.0.1' }),
}
const run = (args: string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })

async function prepare(): Promise<{ token: string; operator_token: string }> {
  const child = run(['--import', 'tsx', 'testbed/src/soak/seed-process.ts'])
  const line = (await text(child.stdout!)).split('\n').find((each) => each.startsWith('{"token"'))
  if (line === undefined) throw new Error('the data could not be prepared')
  return JSON.parse(line) as { token: string; operator_token: string }
}

/** What `npm start` runs, until it serves. */
async function serve(): Promise<ChildProcess> {
  const child = run(['--enable-source-maps', 'apps/server/dist/main.js'])
  child.stdout!.resume()
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error('the server ended before it served')
    if (
      await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return child
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the server does not serve')
}
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
const away = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Memory of the server from noon on, when nothing is disturbed any more: flat within 5 %. */
function memoryOf(begun: number) {
  const [noon, evening]: [number[], number[]] = [[], []]
  const timer = setInterval(() => {
    const hour = ((Date.now() - begun) / (minutes * 60_000)) * 24
    if (hour >= 12 && hour < 24) (hour < 18 ? noon : evening).push(treePss(server!.pid!) / 1024 ** 2)
  }, 1_000)
  return (): Line => {
    clearInterval(timer)
    const [before, after] = [noon, evening].map((values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN)
    const is_flat = after! <= before! * 1.05
    return {
      what: 'MiB of the server (PSS, median): 12-18, 18-24',
      simulated: before!,
      server: after!,
      differing: is_flat ? 0 : 1,
      worst: `${((after! / before! - 1) * 100).toFixed(1)} % more`,
    }
  }
}

let server: ChildProcess | undefined
try {
  step('preparing a server')
  const { token, operator_token } = await prepare()
  server = await serve()
  const call = caller(url, { token })
  const restart = async (signal: NodeJS.Signals) => {
    if (server) await end(server, signal)
    server = await serve()
  }
  const killed = { at: 0.5, what: 'the server is killed and started again', run: () => restart('SIGKILL') }
  const day = values.day
    ? dayOf({
        customer: call,
        operator: caller(url, { token: operator_token }),
        deploy: () => restart('SIGTERM'),
        async databaseAway() {
          postgres!.pause()
          await away(outage_ms)
          postgres!.resume()
        },
        brokerAway: () => broker!.beAway(outage_ms),
      })
    : undefined
  let memory: (() => Line) | undefined
  const lines = await soak({
    call: () => call,
    server: () => url,
    devices,
    seconds: minutes * 60,
    say: step,
    ...(!day && !values.calm && { acts: [killed] }),
    ...(day && {
      ...{ speed: (24 * 60) / minutes, state_every_ms: 60_000, killed_share: 0.005, more: day.more },
      begun: (at: number) => void (memory = memoryOf(at)),
      acts: day.acts,
    }),
  })
  if (memory) lines.push(memory())
  console.log(table(lines))
  process.exitCode = lines.every(({ differing }) => differing === 0) ? 0 : 1
} finally {
  if (server) await end(server, 'SIGKILL')
  await broker?.stop()
  await postgres?.stop()
  await rm(data, { recursive: true, force: true })
}
