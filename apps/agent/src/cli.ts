import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeToStream } from 'mqtt-packet'
import * as z from 'zod'
import { startAgent } from './agent.ts'
import { runCommand } from './body/command.ts'
import { commandsFrom, linuxBody, linuxSlots } from './body/linux.ts'
import { isDiskFull } from './body/failures.ts'
import { giveUpReserve, sweepParts } from './body/room.ts'
import { realClock } from './clock.ts'
import { cloudFolder, fetchCloudFile } from './cloud-files.ts'
import { Credentials, enrolByToken, storedCredentials } from './enrol.ts'
import { callAgent, callSocketOf, openCallSocket } from './call-socket.ts'
import { linesOf, readScanned, scanCodes, scanWithCamera } from './staging/command.ts'
import { takeEnvelope } from './staging/scan.ts'
import type { StagingDevice, Taken } from './staging/scan.ts'
import { remoteOptionsFrom } from './remote/linux-remote.ts'
import { fileStore } from './store.ts'
import { agentVersion } from './version.ts'
import { environmentOf, Misuse, numberOf, readSettings, readSettingsFile, settingsHelp } from './options.ts'
import type { Settings } from './options.ts'
import { directWork } from './system/direct.ts'
import { linuxOsTool } from './system/linux-os-tool.ts'
import { rulesOf, systemOf, versionsOf } from './system/from-settings.ts'
import { openHelper } from './system/helper.ts'
import { install, printStatus, uninstall } from './system/install.ts'
import { data_path, settings_path } from './system/units.ts'
import { watchdog } from './system/watchdog.ts'
import { httpRequest } from '#platform'

const usage = `Usage:
  agent SETTINGS                                           makes this machine a device; --settings FILE reads them from a file
  install SETTINGS [--root DIR]                            has systemd run the agent, now and from the next start on
  uninstall [--purge] [--root DIR]
  status [--root DIR]                                      exit code 0: it runs
  helper [--settings FILE] [--socket PATH]                 does what the agent asks of root; systemd starts it
  fleet --server URL [--devices N] [--seed N] [--ramp PER_SECOND] [--data DIR] [--state-every SECONDS]
        [--qrcode TOKEN | --token BEARER --account-kid KID]
  files --server URL [--data DIR] [FOLDER]                 lists what this device sees of the file cloud
  files --server URL [--data DIR] --get FILE --to PATH     fetches a file of it
  scan [--data DIR] [--sn SN] FILE...                      obeys staging codes in pictures (PNG), or a staging file
  scan [--data DIR] [--sn SN] --camera                     the same with pictures of MDM_AGENT_CAMERA_COMMAND
  call --package NAME --cert SHA1 [--data DIR] METHOD      calls the running agent in the name of an app
  version

Settings; --state-every is MDM_AGENT_STATE_EVERY in the environment and state-every in the file of --settings. A COMMAND is words or a
JSON array, and is never run by a shell:
${settingsHelp()}
`

/** The token of a QR code, given as such or as the text that a scanner reads: https://server/enrol?qr=TOKEN. */
export const qrToken = (text: string): string =>
  (URL.canParse(text) ? new URL(text).searchParams.get('qr') : null) ?? text

/** The address in a properties file, as the console writes it: the last line with the key `host`. */
export const hostOf = (properties: string): string | undefined =>
  properties
    .split(/\r?\n/)
    .flatMap((line) => /^\s*host\s*[=:\s]\s*(\S+)\s*$/.exec(line)?.[1] ?? [])
    .at(-1)
    ?.replaceAll(/\\(.)/g, '$1')

function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Misuse(`--config: ${(error as Error).message}`)
  }
}

function misused<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Misuse((error as Error).message)
  }
}

/** What an operator has to type, so that it is found among log lines. */
export function codeBox(sn: string, code: string): string {
  const lines = [`SN    ${sn}`, `Code  ${code.split('').join(' ')}`]
  const width = Math.max(...lines.map(({ length }) => length)) + 4
  const bar = '─'.repeat(width)
  return [`┌${bar}┐`, ...lines.map((line) => `│  ${line.padEnd(width - 2)}│`), `└${bar}┘`].join('\n')
}

const held = new Set<string>()

/** Two agents with one identity would throw each other out for ever. Returns what gives the folder back. */
export function holdFolder(data: string): () => void {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const path = join(data, 'agent.pid')
  const boot = existsSync(bootIdPath) ? readFileSync(bootIdPath, 'utf8').trim() : ''
  const take = () => {
    try {
      writeFileSync(path, `${process.pid} ${boot}`, { flag: 'wx' })
    } catch (error) {
      if (!isDiskFull(error)) throw error
      giveUpReserve(data)
      writeFileSync(path, `${process.pid} ${boot}`)
    }
  }
  try {
    take()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const [holder, itsBoot] = readFileSync(path, 'utf8').split(' ')
    // Numbers of processes are given out again, after a boot and in a container at every start.
    const is_own = Number(holder) === process.pid
    if (itsBoot === boot && (is_own ? held.has(path) : isAlive(Number(holder))))
      throw new Error(`${data} is in use by process ${holder}`, { cause: error })
    rmSync(path)
    take()
  }
  held.add(path)
  return () => {
    held.delete(path)
    rmSync(path, { force: true })
  }
}
const bootIdPath = '/proc/sys/kernel/random/boot_id'

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function onEnd(stop: () => Promise<void>) {
  let is_ending = false
  const end = () => {
    if (is_ending) process.exit(1)
    is_ending = true
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const dated = (line: string) => print(`${new Date().toISOString()} ${line}`)
const everyOf = (text: string | undefined) =>
  text === undefined ? {} : { state_every_ms: numberOf(text, 'state-every', 0, 86_400) * 1000 }

/** Of the settings, or of the properties file that they name. */
function serverOf({ server, config }: Settings): string {
  const address = server ?? (config === undefined ? undefined : hostOf(readConfigFile(config)))
  if (!address) throw new Misuse(config === undefined ? '--server is missing' : '--config has no key host')
  return address
}

function certificateOf({ 'tls-cert': cert, 'tls-key': key }: Settings) {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw new Misuse('--tls-cert and --tls-key belong together')
  return () => ({ cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') })
}

async function agent(args: string[]) {
  // It keeps 65,536 numbers ready to be sent, 9 MB; one device sends a few.
  writeToStream.cacheNumbers = false
  const values = readSettings(args, process.env)
  const server = serverOf(values)
  const data = resolve(values.data ?? './data/agent')
  const system = systemOf(values, data)
  const slots = values.os === undefined ? await linuxOsTool(data, system) : await linuxSlots(resolve(values.os))
  if (values.os !== undefined && !slots) throw new Misuse(`--os: there is no system in ${values.os}/a (os.json)`)
  let endFor: (then: 'try' | 'leave') => void = () => {}
  const versions = await versionsOf(values, data, { log: dated, end: (then) => endFor(then) })
  if (versions?.is_other) {
    dated('another version of this agent counts: it is started')
    process.exit(0)
  }
  const body = linuxBody({
    slots,
    self: versions?.body,
    data,
    log: dated,
    commands: commandsFrom(environmentOf(values)),
    display: process.env['DISPLAY'],
    system,
    remote: misused(() => remoteOptionsFrom(values)),
    ...(values.sn === undefined ? {} : { sn: values.sn }),
    ...(values.files === undefined ? {} : { files: resolve(values.files) }),
  })
  const { sn } = await body.identity().catch((error: Error) => {
    throw error instanceof z.ZodError ? new Misuse(`--sn: ${z.prettifyError(error)}`) : error
  })
  // What downloads left on a disk that is full goes first: without room for its documents the agent cannot start.
  await sweepParts(join(data, 'parts'), 0).catch(() => undefined)
  const release = holdFolder(data)
  const running = startAgent({
    server,
    body,
    store: fileStore(data, { is_holder: true }),
    log: dated,
    scans_codes: true,
    certificate: certificateOf(values),
    ...everyOf(values['state-every']),
    ...(values.qrcode === undefined ? {} : { qrcode: qrToken(values.qrcode) }),
  })
  const closeSocket = await openCallSocket(callSocketOf(data), running.call).catch((error: Error) => {
    dated(`calls of apps are not taken: ${error.message}`)
    return async () => {}
  })
  running.on((event) => {
    if (event.type === 'code')
      print(`\nRegister this device in the console:\n${codeBox(sn, event.registration_code)}\n`)
    if (event.type === 'state') dated(`${sn} ${event.state}`)
    // It ended by itself: whoever started it starts it again.
    if (event.type === 'state' && event.state === 'stopped' && !is_ending) process.exit(1)
    if (event.type === 'task') dated(`task ${event.task.task_kid} #${event.task.attempt} ${event.task.type}`)
    if (event.type === 'report') {
      const { task_kid, state, progress, code, message } = event.report
      dated(
        [`task ${task_kid}`, state, progress === undefined ? '' : `${progress} %`, code, message]
          .filter(Boolean)
          .join(' '),
      )
    }
  })
  let is_ending = false
  const stopWatchdog = watchdog(process.env, () => is_ending || running.state !== 'stopped', dated)
  const stop = async () => {
    is_ending = true
    await closeSocket()
      .then(() => running.stop())
      .finally(release)
  }
  onEnd(async () => {
    stopWatchdog()
    versions?.stop()
    await (is_ending ? undefined : stop())
  })
  endFor = (then) => {
    stop()
      .then(() => (then === 'try' ? versions?.tryWritten() : undefined))
      .catch((error: Error) => dated(`another version: ${error.message}`))
      .finally(() => process.exit(0))
  }
}

/** What the system does for an app that calls the device: it says who the app is. Exit code 3: refused. */
async function call(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const options = { data: text, package: text, cert: text }
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
  const [method] = positionals
  if (!values.package || !method) throw new Misuse('--package and the method are needed')
  const path = callSocketOf(resolve(values.data ?? './data/agent'))
  const answer = await callAgent(path, { package: values.package, cert_sha1: values.cert ?? '', method })
  if (answer.ok) return void print(JSON.stringify(answer.data))
  process.stderr.write(`${answer.code}: ${answer.message}\n`)
  process.exitCode = 3
}

const Answer = z.object({ result: z.number(), message: z.string() })

/** Registers a device as an operator does, through the console's own call. */
export const registrar =
  (server: string, token: string, account_kid: string | undefined) =>
  async ({ sn, registration_code }: { sn: string; registration_code: string }): Promise<void> => {
    const url = new URL('api/terminal/manual_registered', server.endsWith('/') ? server : `${server}/`)
    if (account_kid !== undefined) url.searchParams.set('account_kid', account_kid)
    const response = await httpRequest(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, timestamp: String(Date.now()) },
      body: JSON.stringify({ sn, registration_code }),
      signal: AbortSignal.timeout(60_000),
    })
    const answer = Answer.safeParse(await response.json().catch(() => undefined)).data
    if (answer?.result !== 1) throw new Error(answer ? `${answer.result} ${answer.message}` : `HTTP ${response.status}`)
  }

async function fleet(args: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    strict: true,
    options: {
      server: text,
      devices: text,
      seed: text,
      ramp: text,
      data: text,
      'state-every': text,
      qrcode: text,
      token: text,
      'account-kid': text,
    },
  })
  if (!values.server) throw new Misuse('--server is missing')
  if (values.qrcode !== undefined && values.token !== undefined)
    throw new Misuse('--qrcode and --token exclude each other')
  const devices = Math.floor(numberOf(values.devices, 'devices', 50, 100_000))
  const register =
    values.token === undefined
      ? values.qrcode && qrToken(values.qrcode)
      : registrar(values.server, values.token, values['account-kid'])
  const lastLines: string[] = []
  let done = 0
  let failed = 0
  const data = resolve(values.data ?? './data/fleet')
  const release = holdFolder(data)
  const { startFleet } = await import('./fleet.ts')
  const running = startFleet({
    server: values.server,
    devices,
    data,
    seed: Math.floor(numberOf(values.seed, 'seed', 1, 1e6)),
    ramp: numberOf(values.ramp, 'ramp', 50, 10_000),
    ...everyOf(values['state-every']),
    ...(register === undefined ? {} : { register }),
    log: (line) => void lastLines.push(line),
    on({ agent: device }, event) {
      if (event.type === 'code' && register === undefined) print(`${device.sn ?? ''} ${event.registration_code}`)
      if (event.type === 'report' && event.report.state === 'completed') done += 1
      if (event.type === 'report' && event.report.state === 'failed') failed += 1
    },
  })
  const is_live = process.stdout.isTTY
  let shown = ''
  const timer = setInterval(() => {
    const { online, offline, waiting, announcing, connecting, rebooting } = running.counts()
    const started = running.devices.length
    const line = `${started}/${devices} started, ${online} online, ${offline} offline, ${connecting + rebooting} connecting, ${waiting + announcing} unregistered, tasks ${done} done ${failed} failed`
    for (const one of lastLines.splice(0).slice(-3)) print(`${is_live ? '\r\u001b[K' : ''}${one}`)
    if (is_live) process.stdout.write(`\r\u001b[K${line}`)
    else if (line !== shown) print(line)
    shown = line
  }, 1000)
  onEnd(async () => {
    clearInterval(timer)
    await running.stop().finally(release)
  })
}

/** What the device that the agent runs sees of its account's file cloud; the agent may run meanwhile. */
async function files(args: string[]) {
  const text = { type: 'string' } as const
  const options = { server: text, data: text, get: text, to: text }
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
  if (!values.server) throw new Misuse('--server is missing')
  if ((values.get === undefined) !== (values.to === undefined)) throw new Misuse('--get and --to go together')
  const credentials = await storedCredentials(fileStore(resolve(values.data ?? './data/agent')), values.server)
  if (!credentials) throw new Error('This device is not registered')
  if (values.get !== undefined) {
    const { size } = await fetchCloudFile(credentials, values.get, resolve(values.to!))
    print(`${values.to} ${size} B`)
    return
  }
  for (const { name, is_folder, size } of await cloudFolder(credentials, positionals[0] ?? ''))
    print(is_folder ? `${name}/` : `${name}  ${size} B`)
}

const camera_command_ms = 20_000

/** Obeys what is scanned, on the device whose data this is; the agent may run meanwhile, and tells the server of it. */
async function scan(args: string[]) {
  const text = { type: 'string' } as const
  const options = { data: text, sn: text, camera: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
  if ((positionals.length === 0) !== (values.camera === true)) throw new Misuse('scan takes files, or --camera')
  const data = resolve(values.data ?? './data/agent')
  const commands = commandsFrom(process.env)
  if (values.camera && !commands.camera) throw new Misuse('MDM_AGENT_CAMERA_COMMAND is not configured on this device')
  const body = linuxBody({ data, log: dated, commands, ...(values.sn === undefined ? {} : { sn: values.sn }) })
  const store = fileStore(data)
  const { signal } = new AbortController()
  const device: StagingDevice = {
    store,
    body,
    clock: realClock,
    signal,
    log: dated,
    credentials: Credentials.safeParse(await store.read('credentials')).data,
    async enrol(server, token) {
      const release = holdFolder(data)
      try {
        return await enrolByToken({ server, token, store, identity: await body.identity(), log: dated, signal })
      } finally {
        release()
      }
    },
  }
  const report = (taken: Taken | undefined) => taken && linesOf(taken).forEach(print)
  if (values.camera) {
    const shoot = async () => (await runCommand(commands.camera!, { timeout_ms: camera_command_ms, signal })).stdout
    return report(await scanWithCamera(device, shoot, print))
  }
  for (const path of positionals) {
    const scanned = await readScanned(resolve(path))
    report(
      'envelope' in scanned
        ? await takeEnvelope(device, scanned.envelope, 'file')
        : await scanCodes(device, scanned.codes, print),
    )
  }
}

/** What systemd starts as root when the agent asks for something; descriptor 3 is the socket that it was asked at. */
async function helper(args: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { settings: text, socket: text }, strict: true })
  const settings = readSettingsFile(values.settings ?? settings_path)
  const commands = commandsFrom(environmentOf(settings))
  const work = directWork(rulesOf(settings, settings.data ?? data_path), { commands })
  if (values.socket !== undefined) return void (await openHelper(work, values.socket))
  if (process.env['LISTEN_FDS'] !== '1') throw new Misuse('systemd starts the helper; --socket is for another')
  const server = await openHelper(work, { fd: 3 }, helper_idle_ms)
  server.on('close', () => process.exit(0))
}
const helper_idle_ms = 60_000

function installAgent(args: string[]): void {
  const at = args.indexOf('--root')
  const root = at < 0 ? '/' : args[at + 1]
  if (root === undefined) throw new Misuse('--root needs a folder')
  const { config, ...settings } = readSettings(at < 0 ? args : args.toSpliced(at, 2), {})
  const named = config === undefined ? settings : { ...settings, server: serverOf({ ...settings, config }) }
  rulesOf(named, data_path)
  commandsFrom(environmentOf(named))
  install(named, { root, print })
}

function removeAgent(args: string[]): void {
  const options = { root: { type: 'string', default: '/' }, purge: { type: 'boolean', default: false } } as const
  const { values } = parseArgs({ args, options, strict: true })
  uninstall({ root: values.root, is_purged: values.purge, print })
}

function status(args: string[]): void {
  const { values } = parseArgs({ args, options: { root: { type: 'string', default: '/' } }, strict: true })
  if (!printStatus({ root: values.root, print })) process.exitCode = 3
}

/** `args` begin with the name of a command. Prints the usage and sets the exit code when they make no sense. */
export async function main(args: string[]): Promise<void> {
  const [command, ...rest] = args
  try {
    if (command === 'agent') return await agent(rest)
    if (command === 'fleet') return await fleet(rest)
    if (command === 'files') return await files(rest)
    if (command === 'scan') return await scan(rest)
    if (command === 'call') return await call(rest)
    if (command === 'helper') return await helper(rest)
    if (command === 'install') return installAgent(rest)
    if (command === 'uninstall') return removeAgent(rest)
    if (command === 'status') return status(rest)
    if (command === 'version' || command === '--version') return void print(agentVersion)
    if (command === 'help' || command === '--help') return void print(usage)
    throw new Misuse(command === undefined ? 'Which command?' : `Unknown: ${command}`)
  } catch (error) {
    const is_misuse = error instanceof Misuse || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
    process.stderr.write(`${(error as Error).message}\n${is_misuse ? `\n${usage}` : ''}`)
    process.exitCode = 2
  }
}

if (process.argv[1] !== undefined && import.meta.url === new URL(`file://${resolve(process.argv[1])}`).href)
  await main(process.argv.slice(2))
