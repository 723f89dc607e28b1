// npm run soak [-- --devices 1000 --minutes 30 --calm]: what the server says of devices against what they did.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { caller } from '../testbed/src/caller.ts'
import { table } from '../testbed/src/soak/compare.ts'
import { soak } from '../testbed/src/soak/soak.ts'
import { root, step } from '../tools/terminal.mjs'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '30' },
    /** Leaves the server alone, which is killed and started again half-way otherwise. */
    calm: { type: 'boolean', default: false },
  },
})
const devices = Number(values.devices)
const minutes = Number(values.minutes)
if (!Number.isInteger(devices) || devices < 1 || !(minutes > 0)) {
  console.error('--devices takes a whole number, --minutes a number, both above 0')
  process.exit(2)
}

const data = await mkdtemp(join(tmpdir(), 'mdm-soak-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const env = {
  ...process.env,
  MDM_DATA: data,
  MDM_HTTP_PORT: String(port),
  MDM_HTTP_HOST: '127.0.0.1',
  MDM_MQTT_PORT: String(await freePort()),
  MDM_MQTT_HOST: '127.0.0.1',
  MDM_LOG_LEVEL: 'error',
  SOAK_DEVICES: String(devices),
}
const run = (args: string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })

async function prepare(): Promise<string> {
  const child = run(['--import', 'tsx', 'testbed/src/soak/seed-process.ts'])
  const line = (await text(child.stdout!)).split('\n').find((each) => each.startsWith('{"token"'))
  if (line === undefined) throw new Error('the data could not be prepared')
  return (JSON.parse(line) as { token: string }).token
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
async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

step('preparing a server')
const token = await prepare()
let server = await serve()
try {
  const call = caller(url, { token })
  const lines = await soak({
    call: () => call,
    server: () => url,
    devices,
    seconds: minutes * 60,
    say: step,
    ...(values.calm
      ? {}
      : {
          async disturb() {
            await kill(server)
            server = await serve()
          },
        }),
  })
  console.log(table(lines))
  process.exitCode = lines.every(({ differing }) => differing === 0) ? 0 : 1
} finally {
  await kill(server)
  await rm(data, { recursive: true, force: true })
}
