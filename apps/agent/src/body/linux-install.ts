import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { arch } from 'node:os'
import { basename, join } from 'node:path'
import { AppManifest } from '@mdm/device-link'
import type { AppEntry, AppToInstall } from '@mdm/device-link'
import * as z from 'zod'
import { TaskFailure } from './body.ts'
import type { Apps, InstalledApp, Landing } from './body.ts'
import { runCommand } from './command.ts'
import { landInJail } from './jail.ts'
import { sweepParts } from './room.ts'
import type { StatFs } from './room.ts'
import type { SystemWork } from './system-work.ts'
import { unzip } from './unzip.ts'

/** The manifest of an app that comes as a zip, `mdm-app.json` at its root. */
const Manifest = AppManifest.pick({ package: true, version: true, start: true, check: true })
/** Beside the files of a version that is installed. */
const Facts = Manifest.extend({ version_code: z.number(), title: z.string(), size: z.number() })
type Facts = z.infer<typeof Facts>

const manifest_name = 'mdm-app.json'
const facts_name = 'app.json'
/** There until the version has been checked. */
const unchecked_name = 'unchecked'
const unpacked_max = 4 * 1024 ** 3
const check_ms = 60_000

/** Names become folders. */
const good_name = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,199}$/

const abisOf: Record<string, string> = { x64: 'x86_64', ia32: 'x86', arm64: 'arm64-v8a', arm: 'armeabi-v7a' }
/** Of this machine, as Android calls them. */
export const machineAbis = (): string[] => (abisOf[arch()] ? [abisOf[arch()]!] : [])

/**
 * Debian packages become packages of the system, where the agent has the rights for it. Apps of a zip stay below `{data}/apps/{package}`, without root: each version in a folder of its own, `current` a link to the one that
 * counts. A version is unpacked beside, renamed into its place and then linked, so that whenever the agent is killed the
 * old one or the new one is there.
 */
export function linuxInstaller({
  data,
  log,
  statfs,
  system,
}: {
  data: string
  log: (line: string) => void
  statfs?: StatFs | undefined
  /** Installs Debian packages; without it they are refused. */
  system?: SystemWork | undefined
}) {
  const root = join(data, 'apps')
  /** Of this run of the agent; what others left there is swept. */
  const run = randomBytes(8).toString('hex')
  const staging = join(root, '.staging', run)
  const packages = join(data, 'packages')
  const package_kinds: AppToInstall['kind'][] = system?.can.packages ? ['zip', 'deb'] : ['zip']

  const folderOf = (name: string): string => {
    if (!good_name.test(name)) throw new TaskFailure('bad_task', `${name.slice(0, 200)} is no name of an app`)
    return join(root, name)
  }
  const linked = (folder: string, name: 'current' | 'previous') =>
    readlink(join(folder, name)).then(basename, () => undefined)
  const factsOf = async (folder: string): Promise<Facts | undefined> => {
    const text = await readFile(join(folder, 'current', facts_name), 'utf8').catch(() => undefined)
    return text === undefined ? undefined : Facts.parse(JSON.parse(text))
  }

  async function list(): Promise<(AppEntry & Pick<Facts, 'version_code'>)[]> {
    const names = await readdir(root).catch(() => [])
    const found = await Promise.all(
      names.filter((name) => good_name.test(name)).map((name) => factsOf(join(root, name))),
    )
    return found.flatMap((facts) => {
      if (!facts) return []
      const { package: name, title, version, version_code, size } = facts
      return { package: name, title, version, version_code, size, is_system: false }
    })
  }

  const installed = async (name: string): Promise<InstalledApp | undefined> => {
    const facts = await factsOf(folderOf(name))
    // One that was not checked yet is still to be installed.
    if (facts && (await isUnchecked(folderOf(name)))) return undefined
    if (!facts) {
      const version = await system?.installed_version(name)
      return version === undefined ? undefined : { version }
    }
    return { version: facts.version, version_code: facts.version_code }
  }
  const isUnchecked = (folder: string) =>
    readFile(join(folder, 'current', unchecked_name)).then(
      () => true,
      () => false,
    )

  const assertFits: Apps['assertFits'] = async ({ kind, abis, title }) => {
    if (!package_kinds.includes(kind))
      throw new TaskFailure('package_kind', `${title}: this device installs no ${kind}`)
    const own = machineAbis()
    if (abis && own.length > 0 && !abis.some((abi) => own.includes(abi)))
      throw new TaskFailure('abi', `${title} is for ${abis.join(', ')}, this device is ${own.join(', ')}`)
  }

  /** Named by its digest: the same bytes for whoever pushes them. */
  const land = ({ file, kind }: AppToInstall): Promise<Landing> =>
    landInJail({
      root: packages,
      parts: join(data, 'parts'),
      file: { ...file, path: '/', name: `${file.sha256}.${kind}` },
      statfs,
    })

  /** One change at a time. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  async function install(app: AppToInstall, landing: Landing, signal: AbortSignal): Promise<void> {
    const folder = folderOf(app.package)
    await landing.place()
    const archive = join(packages, `${app.file.sha256}.${app.kind}`)
    if (app.kind === 'deb') {
      // Half an installation is worse than one that nobody waits for: a cancel that comes meanwhile is too late.
      await system!.install_package({ place: archive, sha256: app.file.sha256, package: app.package })
      return rm(archive, { force: true })
    }
    const version = `${app.version_code}-${app.file.sha256.slice(0, 16)}`
    const before = await linked(folder, 'current')
    if (before !== version) {
      await unpackVersion(app, archive, join(folder, 'versions', version), signal)
      if (before !== undefined) await link(folder, 'previous', before)
      await link(folder, 'current', version)
    }
    await check(folder, version, signal)
    await prune(folder)
    await rm(archive, { force: true })
  }

  /** Complete in its place, or not there. */
  async function unpackVersion(app: AppToInstall, archive: string, place: string, signal: AbortSignal): Promise<void> {
    await mkdir(staging, { recursive: true, mode: 0o700 })
    const stage = join(staging, randomBytes(8).toString('hex'))
    try {
      const files = join(stage, 'files')
      await mkdir(files, { recursive: true, mode: 0o755 })
      const manifest = await unpackZip(archive, files, signal)
      if (manifest.package !== app.package)
        throw new TaskFailure('bad_package', `${app.file.name} is ${manifest.package}, not ${app.package}`)
      const { title, version, version_code, package: name } = app
      const facts: Facts = { ...manifest, package: name, title, version, version_code, size: app.file.size }
      if (manifest.check) await writeDown(join(stage, unchecked_name), '')
      await writeDown(join(stage, facts_name), JSON.stringify(facts))
      // What a version of this name left behind was not linked, or it would be the current one.
      await rm(place, { recursive: true, force: true })
      await mkdir(join(place, '..'), { recursive: true, mode: 0o755 })
      await rename(stage, place)
    } finally {
      await rm(stage, { recursive: true, force: true })
    }
  }

  /** Takes a version back whose own check fails: what was there before is there again. */
  async function check(folder: string, version: string, signal: AbortSignal): Promise<void> {
    if (!(await isUnchecked(folder))) return
    const facts = await factsOf(folder)
    const at = join(folder, 'versions', version)
    const ran = await runIn(join(at, 'files'), facts!.check!, check_ms, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (!(error instanceof TaskFailure)) throw error
      return { code: null, stderr: error.message }
    })
    if (ran.code === 0) return rm(join(at, unchecked_name), { force: true })
    const before = await linked(folder, 'previous')
    if (before === undefined || before === version) await rm(join(folder, 'current'), { force: true })
    else await link(folder, 'current', before)
    await rm(at, { recursive: true, force: true })
    const told = `${facts!.title} ${facts!.version} did not pass its check (${ran.code ?? 'no exit'}) ${ran.stderr.trim()}`
    const now = before === undefined ? 'it is not installed' : `version ${(await factsOf(folder))?.version} is back`
    throw new TaskFailure('check_failed', `${told.slice(0, 900)}: ${now}`)
  }

  /** The current version and the one before it stay. */
  async function prune(folder: string): Promise<void> {
    const stay = [await linked(folder, 'current'), await linked(folder, 'previous')]
    for (const name of await readdir(join(folder, 'versions')))
      if (!stay.includes(name)) await rm(join(folder, 'versions', name), { recursive: true, force: true })
  }

  return {
    list,
    installed,
    assertFits,
    land,
    install: (app: AppToInstall, landing: Landing, signal: AbortSignal) => inTurn(() => install(app, landing, signal)),
    package_kinds,
    /** Of an app of this folder; others are the system's. */
    uninstall: (name: string): Promise<boolean> =>
      inTurn(async () => {
        const folder = folderOf(name)
        if (!(await readdir(folder).catch(() => undefined))) return (await system?.remove_package(name)) ?? false
        await mkdir(staging, { recursive: true, mode: 0o700 })
        const gone = join(staging, randomBytes(8).toString('hex'))
        await rename(folder, gone)
        await rm(gone, { recursive: true, force: true })
        return true
      }),
    /** Left by an agent that was killed while it unpacked or removed. */
    async sweep(): Promise<void> {
      const left = await readdir(join(root, '.staging')).catch(() => [])
      for (const name of left)
        if (name !== run) await rm(join(root, '.staging', name), { recursive: true, force: true })
      // Packages whose installation failed, and parts that nobody came back for.
      for (const folder of [packages, join(data, 'parts')]) await sweepParts(folder, 0, statfs).catch(() => undefined)
    },
    async start(name: string): Promise<void> {
      const folder = folderOf(name)
      const facts = await factsOf(folder)
      if (!facts) throw new TaskFailure('not_found', `There is no ${name}`)
      if (!facts.start) throw new TaskFailure('not_supported', 'its package says nothing to start')
      const at = await linked(folder, 'current')
      const [program, ...args] = facts.start
      const cwd = join(folder, 'versions', at!, 'files')
      await new Promise<void>((resolve, reject) => {
        const child = spawn(localProgram(cwd, program!), args, { cwd, detached: true, stdio: 'ignore' })
        child.on('error', (error) => reject(new TaskFailure('command_failed', `${program}: ${error.message}`)))
        child.on('spawn', () => {
          child.unref()
          log(`started ${name}`)
          resolve()
        })
      })
    },
  }

  async function link(folder: string, name: 'current' | 'previous', version: string): Promise<void> {
    const beside = join(folder, `.${name}.${randomBytes(4).toString('hex')}`)
    await symlink(join('versions', version), beside)
    await rename(beside, join(folder, name))
  }
}

/** A program of the app itself, or one of the system by its name. */
const localProgram = (cwd: string, program: string): string => (program.includes('/') ? join(cwd, program) : program)

const runIn = (cwd: string, [program, ...args]: string[], timeout_ms: number, signal: AbortSignal) =>
  runCommand([localProgram(cwd, program!), ...args], { timeout_ms, signal, cwd })

async function writeDown(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    await file.writeFile(text)
    await file.datasync()
  } finally {
    await file.close()
  }
}

type Said = Pick<Facts, 'package' | 'version' | 'start' | 'check'>

async function unpackZip(archive: string, files: string, signal: AbortSignal): Promise<Said> {
  await unzip(archive, files, { max_bytes: unpacked_max, signal })
  const text = await readFile(join(files, manifest_name), 'utf8').catch(() => {
    throw new TaskFailure('bad_package', `There is no ${manifest_name} in the zip`)
  })
  try {
    return Manifest.parse(JSON.parse(text))
  } catch {
    throw new TaskFailure('bad_package', `${manifest_name} is not as it has to be`)
  }
}
