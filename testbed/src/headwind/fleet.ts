import { parseArgs } from 'node:util'
import { HeadwindAgent } from './agent.ts'

/**
 * Many simulated Android devices with the Headwind MDM agent in one process: `npm run fleet -- --kind headwind --server URL --qrcode
 * TOKEN`. The same seed is the same devices, which get their rows back.
 */
const usage = `npm run fleet -- --kind headwind --server URL --qrcode TOKEN [--devices N] [--seed N] [--ramp PER_SECOND]
  --qrcode   token or text of a permanent QR code`
const models = ['PDA-7', 'PDA-9', 'Tab H2']
const report_ms = 15 * 60_000
const sync_ms = 60 * 60_000

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    server: { type: 'string' },
    qrcode: { type: 'string' },
    devices: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    ramp: { type: 'string', default: '10' },
  },
})
const { server, qrcode } = values
const [devices, seed, ramp] = [values.devices, values.seed, values.ramp].map(Number)
if (!server || !qrcode || ![devices, seed, ramp].every((n) => n! > 0)) {
  console.error(usage)
  process.exit(2)
}
const token = URL.canParse(qrcode) ? (new URL(qrcode).searchParams.get('qr') ?? qrcode) : qrcode

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
let online = 0
async function live(index: number): Promise<void> {
  const agent = new HeadwindAgent({
    server: server!,
    token,
    serial: `HEAD-${seed}-${String(index).padStart(5, '0')}`,
    model: models[index % models.length]!,
    launcher: index % 4 === 0 ? 'master' : 'opensource',
  })
  let is_there = false
  let [synced_at, reported_at] = [0, 0]
  for (let failures = 0; ;) {
    try {
      const now = Date.now()
      const restarts = agent.done.splice(0).includes('reboot')
      if (agent.config === undefined || restarts || now - synced_at > sync_ms) {
        await agent.sync()
        synced_at = reported_at = now
      } else if (now - reported_at > report_ms) {
        agent.battery = agent.battery < 15 ? 100 : agent.battery - 1
        await agent.report()
        reported_at = now
      }
      if (!is_there) console.log(`${(online += 1)} of ${devices} online`)
      is_there = true
      failures = 0
      if (!agent.done.includes('reboot')) await agent.poll()
      await sleep(agent.done.includes('reboot') ? 30_000 : 5_000)
    } catch (error) {
      failures += 1
      if (failures === 1) console.error(`${agent.serial}: ${(error as Error).message}`)
      await sleep(Math.min(60_000, 1_000 * 2 ** failures))
    }
  }
}

process.on('SIGINT', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
for (let index = 0; index < devices!; index += 1) {
  void live(index)
  await sleep(1_000 / ramp!)
}
