import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { agentVersion } from '../version.ts'
import type { Settings } from '../options.ts'
import { Misuse, readSettingsFile } from '../options.ts'
import { hasSystemd, helper_state } from './direct.ts'
import { data_path, settings_path, slotsOf, socket_path, unitFiles, unitLinks, user } from './units.ts'

type Options = {
  /** Another root than that of this machine, as who makes an image has it: nothing is started there. */
  root: string
  print: (line: string) => void
}
const packaged_program = '/usr/bin/mdm-agent'
const notify_path = '/usr/bin/systemd-notify'
const services = ['mdm-agent.service', 'mdm-agent-helper.socket', 'mdm-agent-helper.service'] as const

/** A path of the machine below the root that is worked on. */
const below = (root: string, path: string): string => join(resolve(root), path)

function writeFile(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(`${path}.new`, text, { mode })
  chmodSync(`${path}.new`, mode)
  renameSync(`${path}.new`, path)
}

/** How systemd starts this very program: by what a package brought, or by the file that runs now. */
function programOf(): string {
  const [node, script] = [process.execPath, resolve(process.argv[1] ?? '')]
  return script.startsWith('/usr/lib/mdm-agent/')
    ? packaged_program
    : `${node} --max-semi-space-size=1 --optimize-for-size ${script}`
}

/** Number of the group of the agent's user; the user is made where it is missing. */
function groupOf(): number {
  const find = () => /^mdm-agent:[^:]*:(\d+):/m.exec(readFileSync('/etc/group', 'utf8'))?.[1]
  if (find() === undefined) {
    const options = [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      data_path,
      '--shell',
      '/usr/sbin/nologin',
    ]
    execFileSync('useradd', [...options, user], { stdio: 'inherit' })
  }
  return Number(find())
}

const systemctl = (...args: string[]) => execFileSync('systemctl', args, { stdio: 'inherit' })

/**
 * Makes this machine a device that runs the agent from its next start on, and now where systemd runs. Done again it takes the
 * settings of before, changes those that are named, and restarts the agent.
 */
export function install(named: Settings, { root, print }: Options): void {
  const is_here = resolve(root) === '/'
  if (is_here && process.getuid?.() !== 0) throw new Misuse('install needs the rights of root')
  const path = below(root, settings_path)
  const before = existsSync(path) ? readSettingsFile(path) : {}
  const settings: Settings = { data: data_path, ...before, ...named }
  if (settings.server === undefined) throw new Misuse('--server is missing')
  const folders = [settings.files, settings.os, settings.data === data_path ? undefined : settings.data]
  const writable = folders.filter((folder) => folder !== undefined)
  const relative = writable.find((folder) => !folder.startsWith('/'))
  if (relative !== undefined) throw new Misuse(`${relative} has to be a whole path`)
  const gid = is_here ? groupOf() : undefined
  // A token of a QR code is in it.
  writeFile(path, `${JSON.stringify(settings, null, 2)}\n`, 0o640)
  if (gid !== undefined) chownSync(path, 0, gid)
  const program = is_here ? programOf() : packaged_program
  const has_notify = existsSync(below(root, notify_path))
  const slots = program === packaged_program ? slotsOf(settings.data ?? data_path) : undefined
  for (const [file, text] of Object.entries(unitFiles({ program, writable, has_notify, slots })))
    writeFile(below(root, file), text, 0o644)
  for (const [link, to] of Object.entries(unitLinks)) {
    mkdirSync(dirname(below(root, link)), { recursive: true })
    rmSync(below(root, link), { force: true })
    symlinkSync(to, below(root, link))
  }
  print(`Settings: ${path}`)
  if (!has_notify) print(`There is no ${notify_path}: the agent runs without a watchdog`)
  if (!is_here || !hasSystemd()) return print('The agent starts with the machine')
  systemctl('daemon-reload')
  // Not anew: the helper may be what installs this version.
  systemctl('start', 'mdm-agent-helper.socket')
  systemctl('restart', 'mdm-agent.service')
  print('The agent runs. Its registration code: journalctl --unit mdm-agent')
}

/** What the device is registered as stays, unless it is `purged`. */
export function uninstall({ root, print, is_purged }: Options & { is_purged: boolean }): void {
  const is_here = resolve(root) === '/'
  if (is_here && process.getuid?.() !== 0) throw new Misuse('uninstall needs the rights of root')
  const files = [...Object.keys(unitLinks), ...Object.keys(unitFiles({ program: '', writable: [], has_notify: false }))]
  // Only where they are installed: the helper itself may be what removes the package.
  if (is_here && hasSystemd())
    for (const name of services) execFileSync('systemctl', ['stop', '--no-block', name], { stdio: 'ignore' })
  for (const file of files) rmSync(below(root, file), { force: true })
  if (is_here && hasSystemd()) systemctl('daemon-reload')
  if (is_purged)
    for (const folder of [dirname(settings_path), data_path, helper_state])
      rmSync(below(root, folder), { recursive: true, force: true })
  print(
    is_purged
      ? 'The agent, its settings and its identity are gone'
      : `The agent is gone; its settings and its identity stay in ${dirname(settings_path)} and ${data_path}`,
  )
}

/** Says how the agent stands. Returns whether it runs. */
export function printStatus({ root, print }: Options): boolean {
  const path = below(root, settings_path)
  print(`version     ${agentVersion}`)
  if (!existsSync(path)) {
    print('installed   no')
    return false
  }
  const { server, data = data_path } = readSettingsFile(path)
  const credentials = below(root, join(data, 'credentials.json'))
  print(`installed   ${path}`)
  print(`server      ${server ?? ''}`)
  print(`registered  ${kidIn(credentials)}`)
  const state = resolve(root) === '/' && hasSystemd() ? stateOf('mdm-agent.service') : 'systemd does not run here'
  print(`service     ${state}`)
  print(
    `helper      ${existsSync(below(root, socket_path)) && statSync(below(root, socket_path)).isSocket() ? 'can be asked' : 'is not there'}`,
  )
  return state === 'active'
}

function kidIn(path: string): string {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { kid?: string }).kid ?? 'no'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'no' : `unknown: ${code ?? 'its credentials cannot be read'}`
  }
}

function stateOf(unit: string): string {
  try {
    return execFileSync('systemctl', ['is-active', unit], { encoding: 'utf8' }).trim()
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? '').trim() || 'unknown'
  }
}
