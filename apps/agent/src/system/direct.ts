import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { TaskFailure } from '../body/body.ts'
import { runCommand } from '../body/command.ts'
import type { RunOptions } from '../body/command.ts'
import type { Commands } from '../body/linux.ts'
import type { SystemWork } from '../body/system-work.ts'
import { debianPackages } from './debian.ts'
import type { DebianOptions } from './debian.ts'
import { findOsTool, installOs, settleOs } from './os-tools.ts'
import type { OsToolName, OsToolRules } from './os-tools.ts'
import { changeFiles, copyTo, placeOnSystem, removeOnSystem } from './places.ts'

export const helper_state = '/var/lib/mdm-agent-helper'
/** In the agent's data: downloads that a tool applies. */
export const os_folder = 'os'
const own_folders = ['/etc/mdm-agent', '/usr/lib/mdm-agent', helper_state]

export type WorkRules = OsToolRules & {
  /** Of the agent whose work this is. */
  data: string
  write?: readonly string[]
  packages?: boolean
}
export const hasSystemd = (): boolean => existsSync('/run/systemd/system')
export const whatCanBeDone = ({ packages = true, ...rules }: WorkRules): SystemWork['can'] => ({
  os_tool: findOsTool(rules),
  packages: packages && existsSync('/usr/bin/dpkg'),
  restart: hasSystemd(),
})

/** Work on this machine with the rights of this process. */
export function directWork(
  of: WorkRules,
  {
    debian,
    commands,
    is_root = process.getuid?.() === 0,
  }: { debian?: DebianOptions; commands?: Commands; is_root?: boolean } = {},
): SystemWork {
  const rules = { write: of.write ?? ['/'], closed: own_folders }
  const packages = debianPackages(debian ?? { state: helper_state })
  const can = whatCanBeDone(of)
  const systemctl = async (verb: string) => {
    if (!can.restart) throw new TaskFailure('not_supported', 'This device does not run systemd')
    const { code, stderr } = await runCommand(['systemctl', verb], { timeout_ms: 60_000 })
    if (code !== 0) throw new TaskFailure('command_failed', `systemctl ${verb}: ${stderr.trim()}`.slice(0, 1000))
  }
  /** One change of the packages at a time. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  function osTool(): OsToolName {
    if (can.os_tool) return can.os_tool
    throw new TaskFailure('not_supported', 'This device has no tool that updates its operating system')
  }
  /** The agent names what it has downloaded, and nothing else on the disk. */
  async function assertDownload(path: string, folder: string): Promise<void> {
    const [real, within] = await Promise.all([realpath(path), realpath(join(of.data, folder))])
    if (!real.startsWith(`${within}/`)) throw new TaskFailure('bad_task', `${path} is no download of the agent`)
  }
  return {
    can: { packages: can.packages && is_root, restart: can.restart, os_tool: is_root ? can.os_tool : undefined },
    find_place: (folder, name) => placeOnSystem(rules, folder, name),
    async put_file({ part, folder, name, sha256 }) {
      await assertDownload(part, 'parts')
      await copyTo(part, await placeOnSystem(rules, folder, name), sha256)
    },
    remove_file: (path, sha256) => removeOnSystem(rules, path, sha256),
    change_files: (change) => changeFiles(rules, change),
    async install_package(app) {
      if (!can.packages)
        throw new TaskFailure('package_kind', 'The owner of this device installs no Debian packages by pushes')
      await assertDownload(app.place, 'packages')
      return inTurn(() => packages.install(app))
    },
    remove_package: (name) => inTurn(() => packages.remove(name)),
    installed_version: packages.installed,
    pushed_packages: packages.pushed,
    ...(commands && {
      run_command: (name: string, how: RunOptions) => {
        const command = commands[name as keyof Commands]
        if (command) return runCommand(command, how)
        throw new TaskFailure('not_supported', `The settings of this device have no ${name}-command`)
      },
    }),
    async install_os(file) {
      await assertDownload(file, os_folder)
      return inTurn(() => installOs(osTool(), file, of))
    },
    settle_os: (verb) => inTurn(() => settleOs(osTool(), verb)),
    restart: () => systemctl('reboot'),
    shut_down: () => systemctl('poweroff'),
  }
}
