import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import * as z from 'zod'

export class Misuse extends Error {}

type Setting = { takes: string; says: string; default?: string }
const command = (says: string) => ({ takes: 'COMMAND', says })

/**
 * Every setting of the agent. `state-every` is `--state-every` on the command line, `MDM_AGENT_STATE_EVERY` in the environment and
 * `state-every` in the file of `--settings`; the first of these that has it counts.
 */
export const settings = {
  server: { takes: 'URL', says: 'address of the server, http or https' },
  config: { takes: 'FILE', says: 'properties file of the console that has the address of the server as `host`' },
  qrcode: {
    takes: 'TOKEN_OR_TEXT',
    says: 'token of a QR code, or the text that a scanner reads: registers the device at once',
  },
  'tls-cert': {
    takes: 'FILE',
    says: 'PEM certificate of this device with those above it, which a server may ask for that listens for MQTT over TLS',
  },
  'tls-key': { takes: 'FILE', says: 'its key; both files are read anew for each connection' },
  sn: { takes: 'SN', says: 'serial number', default: 'that of the maker, else one made from the machine id' },
  data: {
    takes: 'DIR',
    says: 'identity, tasks, downloads and apps of the agent',
    default: '`./data/agent`; `/var/lib/mdm-agent` where it is installed',
  },
  files: {
    takes: 'DIR',
    says: 'a folder that stands for the whole disk: paths of pushes are below it',
    default: 'paths are those of this machine',
  },
  write: {
    takes: 'DIR,DIR',
    says: 'folders that pushed files may be put in; others fail with `bad_path`',
    default: '`/`',
  },
  packages: { takes: 'yes|no', says: 'whether pushed Debian packages are installed in this system', default: '`yes`' },
  helper: {
    takes: 'SOCKET',
    says: 'where the helper with the rights of root is asked',
    default: '`/run/mdm-agent-helper.sock`',
  },
  os: {
    takes: 'DIR',
    says: 'folder of the slots `a` and `b` of a system that the agent updates',
    default: 'none: the system is not updated',
  },
  'os-tool': {
    takes: 'rauc|swupdate|mender|none',
    says: 'what updates the operating system of this machine, where `os` is not set',
    default: 'the first of them that is installed and set up',
  },
  'swupdate-cert': {
    takes: 'FILE',
    says: 'certificate or key by which SWUpdate verifies images; without it SWUpdate is not used',
  },
  'swupdate-hardware': {
    takes: 'BOARD:REVISION',
    says: 'what SWUpdate is told this machine is',
    default: 'what /etc/hwrevision says',
  },
  'trial-seconds': {
    takes: 'SECONDS',
    says: 'a pushed version of the agent itself has to have reached the server within this time, or the former one comes back',
    default: '600',
  },
  'state-every': { takes: 'SECONDS', says: 'reports the whole state this often', default: '2 hours' },
  vnc: { takes: 'HOST:PORT', says: 'VNC server of this machine, whose screen people may be shown' },
  'vnc-password-file': { takes: 'FILE', says: 'its first line is the password of the VNC server' },
  'vnc-anywhere': {
    takes: 'yes|no',
    says: 'whether the VNC server may be of another machine, which is reached unencrypted',
    default: '`no`',
  },
  'allow-shell': { takes: 'yes|no', says: 'whether people may open a shell on this machine', default: '`no`' },
  'message-command': command(
    'shows a message: gets MDM_TITLE and MDM_TEXT, and the text on standard input; without it the message is written to the log',
  ),
  'ask-command': command(
    'asks the person at the device: gets MDM_QUESTION; exit 0 is yes, 75 is later (to be offered when MDM_MAY_PUT_OFF is 1), anything else is no; no answer within 10 minutes is later',
  ),
  'warn-command': command('tells the person at the device what is about to happen: gets MDM_TEXT and MDM_SECONDS'),
  'screenshot-command': command(
    'writes a PNG, or a dump of xwd, to standard output; without it import, xwd and ffmpeg are tried where DISPLAY is set',
  ),
  'find-command': command(
    'makes the device heard: gets MDM_SECONDS; without it the agent rings the bell of its terminal, or refuses where it has none',
  ),
  'lock-command': command(
    'locks the screen: the password, if there is one, on standard input; without it the agent refuses',
  ),
  'restart-command': command(
    'restarts the machine; without it systemd is asked, and the agent refuses where there is none',
  ),
  'shutdown-command': command(
    'shuts the machine down; without it systemd is asked, and the agent refuses where there is none',
  ),
  'factory-reset-command': command(
    "erases the machine but the agent's data, and boots it again; without it the agent refuses",
  ),
  'log-command': command(
    'writes the log of the system to standard output, at most 6 MiB; without it journalctl is asked where systemd runs',
  ),
  'log-follow-command': command(
    'writes the log to standard output as it comes; without it journalctl is asked, else the lines of the agent itself are shown',
  ),
  'remote-command': command(
    'shows that people look at the screen: gets MDM_VIEWER and MDM_VIEWERS, the number of them: 0 at the end',
  ),
  'camera-command': command(
    'takes a picture and writes it to standard output as a PNG, again and again for `scan --camera`',
  ),
  'config-command': command(
    'applies a section of a configuration that the agent does not know itself: gets MDM_SECTION, and the value as JSON on standard input',
  ),
  'config-file-command': command(
    'reads a configuration file that was put in place: gets MDM_FILE; what it prints is reported',
  ),
} as const satisfies Record<string, Setting>
export type SettingName = keyof typeof settings
export type Settings = Partial<Record<SettingName, string>>

const names = Object.keys(settings) as SettingName[]
export const environmentName = (name: string): string => `MDM_AGENT_${name.toUpperCase().replaceAll('-', '_')}`
/** Commands are found by their names in the environment. */
export const environmentOf = (values: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [environmentName(name), value]))

export function numberOf(text: string | undefined, name: string, fallback: number, max: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!Number.isFinite(value) || value <= 0 || value > max) throw new Misuse(`--${name} must be a number up to ${max}`)
  return value
}

/** A command may be written as a list. */
const Value = z.union([
  z.string(),
  z.number().transform(String),
  z.array(z.string()).transform((words) => JSON.stringify(words)),
])

export function readSettingsFile(path: string): Settings {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Misuse(`--settings: ${(error as Error).message}`)
  }
  const { data, error } = z.record(z.string(), Value).safeParse(json)
  if (!data) throw new Misuse(`${path}: ${z.prettifyError(error)}`)
  const unknown = Object.keys(data).filter((name) => !(name in settings))
  if (unknown.length > 0) throw new Misuse(`${path}: there is no setting ${unknown.join(', ')}`)
  return data
}

/** The settings of a command line, an environment and the file that `--settings` names. */
export function readSettings(args: string[], env: Record<string, string | undefined>): Settings {
  const text = { type: 'string' } as const
  const options = Object.fromEntries(names.map((name) => [name, text]))
  const { values } = parseArgs({ args, options: { ...options, settings: text }, strict: true })
  const { settings: file = env['MDM_AGENT_SETTINGS'], ...flags } = values as Settings & { settings?: string }
  const from = Object.fromEntries(
    names.flatMap((name) => (env[environmentName(name)] ? [[name, env[environmentName(name)]]] : [])),
  )
  return { ...(file === undefined ? {} : readSettingsFile(file)), ...from, ...flags }
}

/** One line for each setting, for --help. */
export const settingsHelp = (): string =>
  names
    .map((name) => {
      const { takes, says, default: usual } = settings[name] as Setting
      const flag = `--${name} ${takes}`
      return `  ${flag.padEnd(32)}${flag.length > 31 ? `\n${' '.repeat(34)}` : ''}${says}${usual === undefined ? '' : ` (${usual.replaceAll('`', '')})`}`
    })
    .join('\n')
