import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { TaskFailure } from '../body/body.ts'
import { runCommand } from '../body/command.ts'

export const osToolNames = ['rauc', 'swupdate', 'mender'] as const
export type OsToolName = (typeof osToolNames)[number]
export type OsToolRules = {
  /** The owner's choice; absent: the first that is installed and set up. */
  os_tool?: OsToolName | 'none' | undefined
  /** Certificate that images of SWUpdate are signed for. */
  swupdate_cert?: string | undefined
  /** Board and its revision, for SWUpdate. */
  swupdate_hardware?: string | undefined
}

type Tool = {
  format: string
  /** Its own settings, without which it applies nothing. */
  is_set_up: (rules: OsToolRules) => boolean
  install: (file: string, rules: OsToolRules) => string[]
  /** What makes the version stay that runs now, and what gives it up; absent: its boot loader knows by itself. */
  keep?: string[]
  leave?: string[]
  /** Said by one whose exit code says nothing. */
  success?: RegExp
}
const tools: Record<OsToolName, Tool> = {
  rauc: {
    format: 'raucb',
    is_set_up: () => existsSync('/etc/rauc/system.conf'),
    install: (file) => ['rauc', 'install', file],
    keep: ['rauc', 'status', 'mark-good'],
    leave: ['rauc', 'status', 'mark-bad'],
  },
  swupdate: {
    format: 'swu',
    is_set_up: ({ swupdate_cert }) => swupdate_cert !== undefined && existsSync(swupdate_cert),
    install: (file, { swupdate_cert, swupdate_hardware }) => [
      'swupdate',
      '-k',
      swupdate_cert ?? '',
      ...(swupdate_hardware === undefined ? [] : ['-H', swupdate_hardware]),
      '-i',
      file,
    ],
    // That of Debian 12 ends with 1 after a success too.
    success: /SWUpdate was successful|SWUPDATE successful/,
  },
  mender: {
    format: 'mender',
    is_set_up: () => existsSync('/etc/mender/mender.conf'),
    install: (file) => ['mender', 'install', file],
    keep: ['mender', 'commit'],
    leave: ['mender', 'rollback'],
  },
}
export const formatOf = (name: OsToolName): string => tools[name].format

const install_ms = 7_200_000
const verb_ms = 300_000
const text_max = 900

/** The tool of this machine by which an operating system is updated. */
export function findOsTool(rules: OsToolRules, path = process.env['PATH'] ?? ''): OsToolName | undefined {
  const wanted = osToolNames.filter((name) => rules.os_tool === undefined || rules.os_tool === name)
  return wanted.find((name) => tools[name].is_set_up(rules) && isInstalled(name, path))
}

/** Where root has its programs too. */
const isInstalled = (name: string, path: string): boolean =>
  [...path.split(':'), '/usr/sbin', '/usr/bin'].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** Has the tool write an image into the system that does not run. It verifies who signed it by settings of its own. */
export async function installOs(name: OsToolName, file: string, rules: OsToolRules): Promise<void> {
  const { install, success } = tools[name]
  const ran = await runCommand(install(file, rules), { timeout_ms: install_ms, max_bytes: 16 * 1_048_576 })
  const said = `${ran.stdout.toString('utf8')}\n${ran.stderr}`
  if (success ? success.test(said) : ran.code === 0) return
  if (/No space left/i.test(said)) throw new TaskFailure('no_space', 'No space left on this device')
  throw new TaskFailure('os_failed', `${name}: ${reasonIn(said) || `exit code ${ran.code}`}`.slice(0, text_max))
}

export async function settleOs(name: OsToolName, verb: 'keep' | 'leave'): Promise<void> {
  const command = tools[name][verb]
  if (!command) return
  const { code, stderr, stdout } = await runCommand(command, { timeout_ms: verb_ms })
  if (code !== 0)
    throw new TaskFailure('os_failed', `${command.join(' ')}: ${(stderr || String(stdout)).trim()}`.slice(0, text_max))
}

/** The lines that say why, of all that a tool prints. */
const reasonIn = (said: string): string => {
  const lines = said.split('\n').map((line) => line.trim())
  const errors = lines.filter((line) => /error|fail|invalid/i.test(line))
  return (errors.length > 0 ? errors : lines.filter((line) => line !== '').slice(-4)).slice(0, 6).join(' ')
}
