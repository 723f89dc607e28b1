import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config.ts'
import { runningServer } from './ask-server.ts'
import type { ServerState } from './asks.ts'
import { assertPrograms } from './backup/pg-programs.ts'
import { OperatorFault } from './fault.ts'
import { verifyRelease } from './verify-release.ts'

const run = promisify(execFile)
const look_every_ms = 500

/** What an upgrade asks of the machine that it is made on. */
export type Machine = {
  /** The folder of the release that runs. */
  installed: string
  /** Where backups go; it is of the server's own user. */
  backups: string
  /** Runs `mdm` of a release as the server's own user. */
  asServer(release: string, args: readonly string[]): Promise<void>
  /** Makes a release the one that runs, and starts it. */
  install(release: string): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}
export type Upgrade = {
  archive: string
  /** The public key of whoever makes the releases. */
  key: string
  passphrase_file: string
  /** How long a release may take until it is ready: a change of the schema is made meanwhile. */
  patience_ms: number
  print: (line: string) => void
}

/**
 * Puts a release in the place of the one that runs, after a backup. A release that does not become ready is taken back: to the one of
 * before on the same data, and where that does not become ready either, on the backup. Throws OperatorFault when it was taken back.
 */
export async function upgrade(config: Config, wanted: Upgrade, machine: Machine): Promise<void> {
  const { print, patience_ms } = wanted
  const { trusted_comment } = await verifyRelease(wanted.archive, wanted.key)
  print(`${basename(wanted.archive)} is what was signed: ${trusted_comment}`)
  const before = await stateOf(config)
  if (!before?.is_ready)
    throw new OperatorFault('An upgrade begins with a server that runs and is ready: mdm doctor says what is missing.')
  // The way back needs them as well, and is no time to look for them.
  if (config.database_url !== undefined) await assertPrograms(config.database_url)
  const release = await unpack(wanted.archive, dirname(machine.installed))
  const sealed = ['--passphrase-file', wanted.passphrase_file]
  const { version, backup } = await backUp(release, before.version, machine, sealed).catch(async (error: unknown) => {
    // Nothing has changed yet: the same command may come again.
    await rm(release, { recursive: true, force: true })
    throw error
  })
  const fault = await machine.install(release).then(
    () => waitUntilReady(config, version, patience_ms),
    (error: Error) => error.message,
  )
  if (fault === undefined) return print(`${version} runs; ${before.version} stays in ${machine.installed}`)
  print(`${version} is taken back: ${fault}`)
  await goBack({ config, wanted, machine, version: before.version, backup, sealed })
  throw new OperatorFault(`${version} did not become ready: ${fault}. It stays in ${release}.`)
}

/** Before a release that is later than the one that runs. */
async function backUp(release: string, than: string, machine: Machine, sealed: readonly string[]) {
  const version = await versionOf(release)
  if (!isLater(version, than)) throw new OperatorFault(`${version} is not later than ${than}, which runs.`)
  const backup = join(machine.backups, `before-${version}-${Date.now()}`)
  await machine.asServer(machine.installed, ['backup', backup, ...sealed])
  return { version, backup }
}

type WayBack = {
  config: Config
  wanted: Upgrade
  machine: Machine
  version: string
  backup: string
  sealed: readonly string[]
}

async function goBack({ config, wanted, machine, version, backup, sealed }: WayBack): Promise<void> {
  const { print, patience_ms } = wanted
  await machine.stop()
  const fault = await machine.install(machine.installed).then(
    () => waitUntilReady(config, version, patience_ms),
    (error: Error) => error.message,
  )
  if (fault === undefined) return print(`${version} runs again, on the data as they are`)
  await machine.stop()
  const restore = ['restore', '--aside', backup, ...sealed]
  await machine.asServer(machine.installed, restore).catch((error: Error) => {
    throw new OperatorFault(
      `${version} does not run on these data either (${fault}), and its backup was not put back: ${error.message.trim()}\n` +
        `The server is stopped and the data are as the other left them. When what is in the way is gone: mdm ${restore.join(' ')}`,
    )
  })
  await machine.start()
  const still = await waitUntilReady(config, version, patience_ms)
  if (still !== undefined) throw new OperatorFault(`${version} does not run on its backup either (${still}).`)
  print(`${version} runs again, on the backup of before`)
}

/** Returns the folder that the archive had in it, beside the releases of before. */
async function unpack(archive: string, beside: string): Promise<string> {
  const work = await mkdtemp(join(beside, '.mdm-upgrade-'))
  try {
    await run('tar', ['--extract', '--file', archive, '--directory', work, '--no-same-owner']).catch((error: Error) => {
      throw new OperatorFault(`${archive} cannot be unpacked (${error.message.split('\n').at(-2) ?? error.message}).`)
    })
    const [name, ...more] = await readdir(work)
    if (name === undefined || more.length > 0 || !(await isThere(join(work, name, 'bin/mdm'))))
      throw new OperatorFault(`${archive} is no release of this server.`)
    const release = join(beside, name)
    if (await isThere(release)) throw new OperatorFault(`There is a ${release} already: remove it first.`)
    await rename(join(work, name), release)
    return release
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

async function versionOf(release: string): Promise<string> {
  const { stdout } = await run(join(release, 'bin/mdm'), ['version']).catch((error: Error) => {
    throw new OperatorFault(`${release} does not run here: ${error.message}`)
  })
  return stdout.trim()
}

/** Of versions as `1.12.0`: an older release that is signed as well may have the holes that the newer one closed. */
function isLater(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0
}

async function stateOf({ data }: Config): Promise<ServerState | undefined> {
  const running = await runningServer(data).catch(() => undefined)
  try {
    return await running?.ask({ ask: 'state' }).catch(() => undefined)
  } finally {
    running?.close()
  }
}

/** Why it did not become ready in time; undefined when it did. */
async function waitUntilReady(config: Config, version: string, patience_ms: number): Promise<string | undefined> {
  const until = Date.now() + patience_ms
  let last: ServerState | undefined
  do {
    last = await stateOf(config)
    if (last?.version === version && last.is_ready) return undefined
    await new Promise((resolve) => setTimeout(resolve, look_every_ms))
  } while (Date.now() < until)
  const after = `after ${Math.round(patience_ms / 1_000)} s`
  if (last?.version !== version) return `it did not run ${after}`
  const missing = Object.entries(last).filter(([name, is_well]) => name !== 'is_ready' && is_well === false)
  return `not ready ${after}: ${missing.map(([name]) => name).join(', ')}`
}
