import { parseArgs } from 'node:util'
import { MdmeshAgent } from './agent.ts'
import type { Profile } from './agent.ts'

/**
 * Many simulated Android devices with the MDMesh agent in one process: `npm run fleet -- --kind mdmesh --server URL --qrcode TOKEN`.
 * The same seed is the same devices, which get their rows back.
 */
const usage = `npm run fleet -- --kind mdmesh --server URL --qrcode TOKEN [--devices N] [--seed N] [--ramp PER_SECOND] [--every SECONDS]
  --qrcode   token or text of a permanent QR code
  --every    seconds between two check-ins of a device (600); those with a socket come when they are told to as well`
const profiles: Profile[] = ['0.2.1', '0.2.5', '0.3.2']
const models = ['TC-10', 'TC-12', 'PDA-5', 'Tab A1']

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    server: { type: 'string' },
    qrcode: { type: 'string' },
    devices: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    ramp: { type: 'string', default: '10' },
    every: { type: 'string', default: '600' },
  },
})
const { server, qrcode } = values
const [devices, seed, ramp, every] = [values.devices, values.seed, values.ramp, values.every].map(Number)
if (!server || !qrcode || ![devices, seed, ramp, every].every((n) => n! > 0)) {
  console.error(usage)
  process.exit(2)
}
const token = URL.canParse(qrcode) ? (new URL(qrcode).searchParams.get('qr') ?? qrcode) : qrcode

let online = 0
async function live(index: number): Promise<void> {
  const agent = new MdmeshAgent({
    server: server!,
    token,
    profile: profiles[index % profiles.length]!,
    hardware_id: `fleet-${seed}-${index}`,
    serial: `MESH-${seed}-${String(index).padStart(5, '0')}`,
    model: models[index % models.length]!,
  })
  let coming: Promise<unknown> = Promise.resolve()
  let is_there = false
  const come = () => (coming = coming.then(() => agent.checkIn()))
  for (let failures = 0; ;) {
    try {
      await come()
      if (!is_there) console.log(`${(online += 1)} of ${devices} online`)
      is_there = true
      failures = 0
      // Two of three have somebody who opens the agent.
      if (index % 3 > 0 && !agent.is_connected) await agent.connect(come)
      agent.battery = Math.max(5, agent.battery - 1)
      if (agent.battery < 15) agent.battery = 100
    } catch (error) {
      coming = Promise.resolve()
      failures += 1
      if (failures === 1) console.error(`${agent.serial}: ${(error as Error).message}`)
    }
    const wait_s = failures > 0 ? Math.min(300, 2 ** failures) : every! * (0.9 + Math.random() * 0.2)
    await new Promise((resolve) => setTimeout(resolve, wait_s * 1000))
  }
}

process.on('SIGINT', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
for (let index = 0; index < devices!; index += 1) {
  void live(index)
  await new Promise((resolve) => setTimeout(resolve, 1_000 / ramp!))
}
