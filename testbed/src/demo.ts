import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startAgent } from '@mdm/agent/agent.ts'
import { linuxBody } from '@mdm/agent/body/linux.ts'
import { startFleet } from '@mdm/agent/fleet.ts'
import type { Fleet } from '@mdm/agent/fleet.ts'
import { fileStore } from '@mdm/agent/store.ts'
import { readConfig } from '@mdm/server/config.ts'
import { mqttUrls } from '@mdm/server/addresses.ts'
import { startServer } from '@mdm/server/server.ts'
import type { RunningServer } from '@mdm/server/server.ts'
import { startFault } from '@mdm/server/start-fault.ts'
import type { Caller } from './caller.ts'
import { leadDevicesHere } from './demo-address.ts'
import { makeParts } from './demo-parts.ts'
import { phoneLines } from './demo-phone.ts'
import { demoPassword, seed, seedGroups, signedIn } from './seed.ts'
import type { Seed, SeededUser } from './seed.ts'

const { fleet_size, is_steady } = optionsFrom(process.argv.slice(2))
const started = performance.now()
const say = (text: string): void =>
  console.log(`[${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s] ${text}`)

/** `--devices N`, 60 unless told; `--steady`: none of them leaves the network by itself, as some do for minutes. */
function optionsFrom(args: string[]): { fleet_size: number; is_steady: boolean } {
  try {
    const { values } = parseArgs({
      args,
      options: { devices: { type: 'string', default: '60' }, steady: { type: 'boolean', default: false } },
    })
    const fleet_size = Number(values.devices)
    if (Number.isInteger(fleet_size) && fleet_size >= 0 && fleet_size <= 600)
      return { fleet_size, is_steady: values.steady }
    console.error('--devices takes a whole number up to 600')
  } catch (error) {
    console.error((error as Error).message)
  }
  process.exit(2)
}

/** The demo keeps what it seeded, which parts it made and its code for phones, so that a second start finds the same and makes nothing twice. */
type Kept = { seed: Seed; parts?: string[]; phone_code_kid?: string }

async function main(): Promise<void> {
  // Progress is what a newcomer wants to read here; the log is there when it is asked for.
  const config = readConfig({ MDM_LOG_LEVEL: 'warn', ...process.env }, { is_demo: true })
  await mkdir(config.data, { recursive: true })
  say('Starting the server (the first start prepares the database)')
  const server = await startServer(config)
  const kept = await seedOnce(server)
  const { seed: seeded } = kept
  const file = join(config.data, 'demo.json')
  await leadDevicesHere({ file, url: server.url, mqtt: mqttUrls(server.deps), ...stores(config.data) })
  say(`Connecting ${fleet_size} simulated devices and the agent of this machine`)
  for (const { sn } of await server.deps.db.selectFrom('terminal').select('sn').execute()) registered.add(sn)
  const callers = await Promise.all(seeded.customers.map((c) => signedIn(server.url, server.deps, c.root)))
  const fleet = connectFleet(server, seeded, callers)
  const agent = connectThisMachine(server, callers[0]!)
  await writeDemoFile(file, server, seeded)
  // Tests look at lists of codes that nobody has made yet.
  const token = is_steady ? undefined : await phoneToken(server, kept, callers[0]!)
  announce(server, seeded, file, token)
  // Tests begin with every device, as one that comes later moves the rows of a list under the pointer, and with an empty page of pushes.
  if (is_steady) void Promise.all([agent.reached('online'), fleet.online(fleet_size)]).then(() => say('Ready'))
  else
    whenQuiet(fleet)
      .then(() => makeWhatIsMissing(server, kept, callers[0]!))
      .catch((error: Error) => say(`What the demo shows is not complete: ${error.message}`))

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (closing.signal.aborted) process.exit(1)
      closing.abort()
      say('Closing')
      void Promise.all([agent.stop(), fleet.stop()])
        .then(() => server.close())
        .then(() => process.exit(0))
    })
}

const closing = new AbortController()
const seedFile = ({ deps }: RunningServer): string => join(deps.config.data, 'demo-seed.json')

async function seedOnce(server: RunningServer): Promise<Kept> {
  const file = seedFile(server)
  if (existsSync(file)) {
    const kept = JSON.parse(await readFile(file, 'utf8')) as Kept
    const known = await server.deps.db
      .selectFrom('user_account')
      .select('kid')
      .where('kid', '=', kept.seed.operator.user_kid)
      .executeTakeFirst()
    if (known) return kept
  }
  say('Seeding three customers with sub-accounts, roles, people and groups')
  const seeded = await seed(server.deps)
  await seedGroups(server.url, server.deps, seeded)
  await writeWhole(file, { seed: seeded })
  return { seed: seeded }
}

/** The token of a permanent code by which phones join; another when somebody has revoked it. */
async function phoneToken(server: RunningServer, kept: Kept, customer: Caller): Promise<string> {
  const { phone_code_kid: kid } = kept
  const known = kid === undefined ? undefined : await customer.terminalQrcode.get({ kid }).catch(() => undefined)
  const code = known ?? (await customer.terminalQrcode.qrcode_forever_registered({}))
  if (code.kid !== kid) {
    kept.phone_code_kid = code.kid
    await writeWhole(seedFile(server), kept)
  }
  return new URL(code.token_url).searchParams.get('qr') ?? ''
}

/** Adds the parts of the demo that are not there yet, while the console can be used already. */
async function makeWhatIsMissing(server: RunningServer, kept: Kept, customer: Caller): Promise<void> {
  const operator = await signedIn(server.url, server.deps, kept.seed.operator)
  const parts = kept.parts ?? []
  await makeParts({
    callers: { operator, customer },
    made: parts,
    onMade(name) {
      parts.push(name)
      return writeWhole(seedFile(server), { ...kept, parts })
    },
    onFailed: (name, error) => say(`Not made for the demo: ${name} (${error.message})`),
    signal: closing.signal,
  })
  if (!closing.signal.aborted) say('Ready')
}

/** Folders below which the simulated devices, and the agent of this machine, keep what is theirs. */
const stores = (data: string) => ({ fleet: join(data, 'demo-devices'), agent: join(data, 'demo-agent') })

/** Two of three devices belong to the first customer; the others share the rest. */
const ownerOf = (index: number): number => (index % 3 < 2 ? 0 : index % 2 === 0 ? 1 : 2)

/** SNs that were registered at the start or since: who takes a device out does not find it back by itself. */
const registered = new Set<string>()

function connectFleet(server: RunningServer, seeded: Seed, callers: Caller[]) {
  return startFleet({
    server: server.url,
    devices: fleet_size,
    data: stores(server.deps.config.data).fleet,
    ramp: is_steady ? 400 : 40,
    state_every_ms: 60_000,
    // Walks take the first device that is there, which does what it is told.
    ...(is_steady && { faults: (_, { offline: _offline, refuses: _refuses, ...others }) => others }),
    async register({ sn, registration_code }) {
      if (registered.has(sn)) return
      const index = Number(sn.split('-').at(-1)) - 1
      const owner = ownerOf(index)
      const groups = Object.values(seeded.customers[owner]!.groups)
      const terminal_group_kid = index % 5 === 4 ? 'NO_GROUP' : groups[Math.floor(index / 3) % groups.length]!
      await callers[owner]!.terminal.manual_registered({
        sn,
        registration_code,
        terminal_group_kid,
        name: `Handheld ${index + 1}`,
      })
      if (registered.add(sn).size % 20 === 0) say(`${registered.size} of ${fleet_size} devices registered`)
    },
  })
}

/** The longest wait for one more device: one that was deregistered in an earlier run may never come. */
const quiet_ms = 15_000

/** Resolves when every device that has a network now is online. Some are simulated without one for minutes. */
function whenQuiet(fleet: Fleet): Promise<void> {
  let before = -1
  let since = performance.now()
  const isThere = ({ agent, body }: Fleet['devices'][number]) => agent.state === 'online' || !body.is_reachable()
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const there = fleet.devices.filter(isThere).length
      if (there > before) [before, since] = [there, performance.now()]
      if (there < fleet_size && performance.now() - since < quiet_ms) return
      clearInterval(timer)
      resolve()
    }, 250)
  })
}

function connectThisMachine(server: RunningServer, customer: Caller) {
  const data = stores(server.deps.config.data).agent
  const body = linuxBody({ data, display: process.env['DISPLAY'] })
  const agent = startAgent({ server: server.url, body, store: fileStore(data), state_every_ms: 60_000 })
  // The agent says its code again as long as it waits.
  let asked = ''
  agent.on((event) => {
    if (event.type !== 'code' || agent.sn === undefined || event.registration_code === asked) return
    asked = event.registration_code
    customer.terminal
      .manual_registered({ sn: agent.sn, registration_code: event.registration_code, name: 'This machine' })
      .then(
        () => {
          say(`The agent of this machine is registered as ${agent.sn}`)
          agent.askRegistered()
        },
        (error: Error) => {
          asked = ''
          say(`The agent of this machine could not be registered: ${error.message}`)
        },
      )
  })
  return agent
}

async function writeDemoFile(file: string, server: RunningServer, seeded: Seed): Promise<void> {
  const users: SeededUser[] = [seeded.operator, ...seeded.customers.flatMap((c) => [c.root, ...c.users])]
  const accounts = []
  for (const user of users) {
    const { identity } = await signedIn(server.url, server.deps, user)
    accounts.push({ ...user, password: demoPassword, token: identity.token })
  }
  await writeWhole(file, { is_demo: true, url: server.url, mqtt_url: server.mqtt_url, accounts })
}

/** Whole or not at all, and readable by its owner only: it holds tokens. */
async function writeWhole(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content, null, 2), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function announce(server: RunningServer, seeded: Seed, file: string, token: string | undefined): void {
  const { http, public_url, gateways } = server.deps.config
  const listening = { http, public_url, browser: gateways.browser }
  const phone = phoneLines(listening, new URL(server.url).port, token, process.stdout.isTTY)
  const rows = [seeded.operator, ...seeded.customers.flatMap((c) => [c.root, ...c.users])].map(
    (u) =>
      `    ${u.username.padEnd(18)} ${demoPassword.padEnd(12)} ${u.kind.replace('_', '-').padEnd(12)} ${u.account_name}`,
  )
  console.log(
    [
      '',
      '  This is a demo: its people, companies and devices are made up, and everybody who reads this knows the passwords.',
      '',
      `  Console   ${server.url}`,
      `  MQTT      ${server.mqtt_url}`,
      `  Scripts   ${file} has these accounts with a token each`,
      '',
      '    login name         password     who          account',
      ...rows,
      '',
      `  Another device: npm run agent -- --server ${server.url} --data ./data/agent --sn MY-DEVICE`,
      ...phone,
      '  Ctrl-C ends it.',
      '',
    ].join('\n'),
  )
}

main().catch((error: unknown) => {
  const { exit_code, said } = startFault(error)
  console.error(...said)
  process.exit(exit_code)
})
