import { appendFile, mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { agent_package, limits } from '@mdm/device-link'
import { TaskFailure } from './body.ts'
import type { Body, DeviceEventOf, Identity, OsBody, Outcome, SelfBody, StatePartsOf } from './body.ts'
import { parseCommand, runCommand } from './command.ts'
import type { RunOptions } from './command.ts'
import { landFile, placingInJail, removeInJail } from './jail.ts'
import { filesInJail } from './jail-files.ts'
import { configSectionsOf, configureLinux } from './linux-config.ts'
import { readBuild, readIdentity, readPackages } from './linux-identity.ts'
import { linuxInstaller, machineAbis } from './linux-install.ts'
import { batteryTriggers, readBattery, readNetwork, readRun, readText, readUptime, systemRoots } from './linux-read.ts'
import type { CpuTimes, Roots } from './linux-read.ts'
import { linuxUsage } from './linux-usage.ts'
import { osSlots } from './os-slots.ts'
import { roomIn } from './room.ts'
import type { StatFs } from './room.ts'
import { captureScreen } from './screen.ts'
import { Slot } from './slot-book.ts'
import type { SystemWork } from './system-work.ts'
import { linuxRemote } from '../remote/linux-remote.ts'
import type { LinuxRemoteOptions } from '../remote/linux-remote.ts'

const commandNames = [
  'message',
  'ask',
  'warn',
  'screenshot',
  'find',
  'lock',
  'restart',
  'shutdown',
  'factory_reset',
  'log',
  'config',
  'config_file',
  'camera',
  'remote',
  'log_follow',
] as const
type CommandName = (typeof commandNames)[number]
export type Commands = { [K in CommandName]?: string[] | undefined }

/** Commands from the environment, MDM_AGENT_LOCK_COMMAND and so on. Throws, naming the variable, when one is malformed. */
export function commandsFrom(env: Record<string, string | undefined>): Commands {
  return Object.fromEntries(
    commandNames.map((name) => {
      const variable = `MDM_AGENT_${name.toUpperCase()}_COMMAND`
      try {
        return [name, parseCommand(env[variable])]
      } catch (error) {
        throw new Error(`${variable}: ${(error as Error).message}`, { cause: error })
      }
    }),
  )
}

export type LinuxOptions = {
  /** Folder of the agent's own data; messages and files are kept there. */
  data: string
  sn?: string
  /** Folder that device paths are below; `{data}/files` when absent. */
  files?: string
  /** What may be done to this machine. Without it, nothing outside of the agent's folders is. */
  system?: SystemWork | undefined
  commands?: Commands
  display?: string | undefined
  log?: (line: string) => void
  roots?: Roots
  /** Slots of a system that this agent updates, by `linuxSlots`. */
  slots?: OsBody | undefined
  /** Versions of the agent itself, by `agentSlots`. */
  self?: SelfBody | undefined
  /** What may be opened of it from afar, beside its log. */
  remote?: LinuxRemoteOptions
  /** Somebody hears the bell of this process' terminal; found out when absent. */
  has_bell?: boolean
  /** Looks at the room on a disk. */
  statfs?: StatFs
}

/** Slots below a folder, where there is a system in them. */
export const linuxSlots = (dir: string, roots: Roots = systemRoots): Promise<OsBody | undefined> =>
  osSlots(
    dir,
    () => new Date(),
    async () => ((await readText(join(roots.proc, 'sys/kernel/random/boot_id'))) ?? '').slice(0, 64),
    async () =>
      Slot.safeParse(/(?:^|\s)mdm\.slot=(\S+)/.exec((await readText(join(roots.proc, 'cmdline'))) ?? '')?.[1]).data,
  )

const command_ms = 60_000
/** Of this start of the machine, where systemd runs. */
const journal = ['journalctl', '--boot', '--no-pager', '--lines=20000']
/** Whoever has not answered by then is asked again later. */
const answer_ms = 600_000
/** EX_TEMPFAIL: try again later. */
const later_exit = 75
/** With the journal of the agent it has to fit into a log's upload. */
const log_bytes = 6 * 1_048_576

/** The machine this process runs on. Without configured commands it does nothing to it but write below `data` and ring. */
export function linuxBody(options: LinuxOptions): Body {
  const { data, commands = {}, roots = systemRoots, log = () => {}, system } = options
  /** A folder that stands for the disk is the owner's choice; otherwise paths are those of this machine, where it may be changed. */
  const jail = options.files ?? (system ? undefined : join(data, 'files'))
  const disk = jail === undefined ? data : jail
  const placing = jail === undefined ? { find: system!.find_place, put: system!.put_file } : placingInJail(jail)
  let identity: Promise<Identity> | undefined
  let cpu: CpuTimes | undefined
  let last: StatePartsOf['battery']
  const usage = linuxUsage({ roots, data, now: () => new Date() })
  const events: DeviceEventOf[] = []
  const installer = linuxInstaller({ data, log, statfs: options.statfs, system })
  installer.sweep().catch((error: Error) => log(`apps: ${error.message}`))

  const run = (name: CommandName, command: string[], how: RunOptions) =>
    commands[name] && system?.run_command ? system.run_command(name, how) : runCommand(command, how)

  /** Runs what is configured: to say that it was done where nothing is would be a lie. */
  async function act(
    name: CommandName,
    signal: AbortSignal,
    extra: { env?: Record<string, string>; stdin?: string; timeout_ms?: number } = {},
  ): Promise<Outcome> {
    const command = commands[name]
    if (!command) throw new TaskFailure('not_supported', notConfigured(name))
    const { code, stdout, stderr } = await run(name, command, { timeout_ms: command_ms, signal, ...extra })
    if (code !== 0) throw failed(command, code, stderr)
    const text = stdout.toString('utf8').trim().slice(0, 4000)
    return text === '' ? {} : { text }
  }

  async function goDown(name: 'restart' | 'shutdown' | 'factory_reset', signal: AbortSignal): Promise<Outcome> {
    if (commands[name] || name === 'factory_reset' || !system?.can.restart)
      return { ...(await act(name, signal)), rebooting: {} }
    await (name === 'restart' ? system.restart() : system.shut_down())
    return { rebooting: {} }
  }

  /** Of the system. Of the agent the version counts that runs. */
  async function systemPackages() {
    const found = await readPackages()
    const version = options.self?.version
    if (version === undefined) return found
    return [...found.filter(({ name }) => name !== agent_package), { name: agent_package, version }]
  }

  /** Of the system, and those that were pushed, which stand for one of the same name. */
  async function packages() {
    const own = await installer.list()
    const others = (await systemPackages()).filter(({ name }) => own.every((app) => app.package !== name))
    return [
      ...own.map(({ package: name, is_system: _, permissions: __, ...app }) => ({ name, ...app })),
      ...others,
    ].slice(0, limits.packages)
  }

  const identify = () => (identity ??= readIdentity(roots, options.sn))
  /** Of the terminal that it runs in; where nobody listens the character would only spoil a log. */
  const has_bell = options.has_bell ?? process.stderr.isTTY === true
  const by_systemd = new Set<string>(['restart', 'shutdown'])
  const by_command = ['lock', 'restart', 'shutdown', 'factory_reset'] as const
  const body: Body = {
    task_types: [
      'message',
      'file',
      'config_file',
      'app_install',
      'app_uninstall',
      ...(commands.find || has_bell ? (['find'] as const) : []),
      'remote_log',
      ...(commands.screenshot || options.display ? (['screenshot'] as const) : []),
      ...by_command.filter((type) => commands[type] || (system?.can.restart && by_systemd.has(type))),
      ...(options.slots && (commands.restart || system?.can.restart) ? (['os'] as const) : []),
    ],
    config_sections: configSectionsOf(commands),
    identity: identify,
    async inventory() {
      const { sn: _sn, imei: _imei, ...rest } = await identify()
      return {
        ...rest,
        ...(await readBuild()),
        ...(await options.slots?.build()),
        ...(options.slots && { os_formats: [...options.slots.formats] }),
        host: hostname().slice(0, 255),
        packages: await packages(),
        abis: machineAbis(),
        package_kinds: installer.package_kinds,
      }
    },
    async boot() {
      const boot_id = (await readText(join(roots.proc, 'sys/kernel/random/boot_id'))) ?? ''
      const seconds = Number(/^btime (\d+)$/m.exec((await readText(join(roots.proc, 'stat'))) ?? '')?.[1])
      const boot_at = new Date(seconds > 0 ? seconds * 1000 : Date.now())
      return { boot_id: boot_id.slice(0, 64), boot_at, uptime: await readUptime(roots) }
    },
    // It does not know where it is.
    judges_fence: false,
    async state(): Promise<StatePartsOf> {
      const battery = await readBattery(roots)
      const { run, cpu: now } = await readRun(roots, data, cpu)
      cpu = now
      const triggers = batteryTriggers(last, battery)
      for (const trigger of triggers)
        events.push({ type: 'battery', at: new Date().toISOString(), detail: { trigger, level: battery!.level } })
      last = battery
      const trigger = triggers.at(-1)
      if (battery && trigger) return { battery: { ...battery, trigger }, ...(await readNetwork(roots)), run }
      return { ...(battery ? { battery } : {}), ...(await readNetwork(roots)), run }
    },
    events: async () => events.splice(0),
    async usage() {
      const { boot_id } = await body.boot()
      return usage.read(boot_id)
    },
    async watch_usage() {
      const { boot_id } = await body.boot()
      await usage.watch(boot_id)
    },
    is_reachable: () => true,
    network: async () => (await readNetwork(roots)).network?.type,
    zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    async ask(question, { may_put_off }, signal) {
      if (!commands.ask) return 'nobody'
      const env = { MDM_QUESTION: question, MDM_MAY_PUT_OFF: may_put_off ? '1' : '' }
      try {
        const { code } = await run('ask', commands.ask, { timeout_ms: answer_ms, signal, env })
        return code === 0 ? 'yes' : code === later_exit ? 'later' : 'no'
      } catch (error) {
        if (error instanceof TaskFailure && error.code === 'command_timeout') return 'later'
        throw error
      }
    },
    async warn(text, seconds, signal) {
      if (!commands.warn) return log(`warning: ${text}`)
      const env = { MDM_TEXT: text, MDM_SECONDS: String(seconds) }
      await act('warn', signal, { env, timeout_ms: seconds * 1000 + command_ms })
    },
    configure: (section, value, signal) =>
      configureLinux({
        data,
        run: commands.config && ((how) => run('config', commands.config!, how)),
        section,
        value,
        signal,
      }),
    async read_config_file(path, signal) {
      if (!commands.config_file) return `Not read: ${notConfigured('config_file')}`
      return (await act('config_file', signal, { env: { MDM_FILE: path } })).text ?? ''
    },
    async show_message({ title, text }, signal) {
      await mkdir(data, { recursive: true, mode: 0o700 })
      const line = JSON.stringify({ at: new Date().toISOString(), title, text })
      await appendFile(join(data, 'messages.jsonl'), `${line}\n`, { mode: 0o600 })
      if (!commands.message) {
        log(`message: ${printable(title)}: ${printable(text)}`)
        return { text: `Written to the log: ${notConfigured('message')}` }
      }
      return act('message', signal, { env: { MDM_TITLE: title, MDM_TEXT: text }, stdin: text })
    },
    land: (file) => landFile({ placing, parts: join(data, 'parts'), file, statfs: options.statfs }),
    async room() {
      await mkdir(disk, { recursive: true })
      return roomIn(disk, options.statfs)
    },
    remove_pushed: (path, sha256) =>
      jail === undefined ? system!.remove_file(path, sha256) : removeInJail(jail, path, sha256),
    files:
      jail === undefined
        ? {
            ...filesInJail('/'),
            make_folder: (path) => system!.change_files({ do: 'make_folder', path }),
            rename: (path, name) => system!.change_files({ do: 'rename', path, name }),
            remove: (path) => system!.change_files({ do: 'remove', path }),
          }
        : filesInJail(jail),
    apps: {
      async list() {
        const own = await installer.list()
        const others = (await systemPackages()).filter(({ name }) => own.every((app) => app.package !== name))
        const pushed = new Set(await system?.pushed_packages())
        return [
          ...own,
          ...others.map(({ name, ...rest }) => ({ package: name, ...rest, is_system: !pushed.has(name) })),
        ]
      },
      installed: async (name) =>
        options.self && name === agent_package ? { version: options.self.version } : installer.installed(name),
      assertFits: installer.assertFits,
      land: installer.land,
      install: installer.install,
      start: installer.start,
      async uninstall(name) {
        // Packages of a system come and go by its package manager; an agent that removed them would be a way to break it.
        if (await installer.uninstall(name)) return
        const is_system = (await readPackages()).some((each) => each.name === name)
        throw is_system ? notSupported('Packages of this system') : new TaskFailure('not_found', `There is no ${name}`)
      },
      set_permission: () => Promise.reject(notSupported('Permissions of packages')),
    },
    os: options.slots,
    self: options.self,
    remote: linuxRemote(options.remote ?? {}, commands, log),
    screenshot: (signal) =>
      captureScreen({
        command: commands.screenshot,
        display: options.display,
        path: process.env['PATH'] ?? '',
        signal,
      }),
    async find(seconds, signal) {
      if (commands.find)
        return act('find', signal, {
          env: { MDM_SECONDS: String(seconds) },
          timeout_ms: seconds * 1000 + command_ms,
        })
      if (!has_bell) throw new TaskFailure('not_supported', `This device has no bell: ${notConfigured('find')}`)
      for (let rung = 0; rung < seconds; rung += 1) {
        signal.throwIfAborted()
        process.stderr.write('\u0007')
        if (rung + 1 < seconds) await pause(1000, signal)
      }
      log(`rang for ${seconds} s`)
      return { text: 'Rang the terminal bell' }
    },
    lock: (password, signal) => act('lock', signal, password === undefined ? {} : { stdin: password }),
    restart: (signal) => goDown('restart', signal),
    shut_down: (signal) => goDown('shutdown', signal),
    factory_reset: (signal) => goDown('factory_reset', signal),
    async log(signal) {
      const command = commands.log ?? (system?.can.restart ? journal : undefined)
      if (!command) return undefined
      const { code, stdout, stderr } = await run('log', command, {
        timeout_ms: command_ms,
        max_bytes: log_bytes,
        signal,
      })
      if (code !== 0) throw failed(command, code, stderr)
      return stdout
    },
  }
  return body
}

const notConfigured = (name: CommandName) => `MDM_AGENT_${name.toUpperCase()}_COMMAND is not configured on this device`
const failed = ([program]: string[], code: number | null, stderr: string) =>
  new TaskFailure('command_failed', `${program}: exit ${code} ${stderr.trim()}`.slice(0, 1000))
const notSupported = (what: string) => new TaskFailure('not_supported', `${what} are not changed by the agent`)

/** Text from afar must not move the cursor of the terminal it is shown on. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
