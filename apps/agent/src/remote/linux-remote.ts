import { TaskFailure } from '../body/body.ts'
import { runCommand } from '../body/command.ts'
import { followLog } from './log-follow.ts'
import type { RemoteBody } from './source.ts'
import { terminal } from './terminal.ts'
import { vncScreen } from './vnc-screen.ts'
import type { VncServer } from './vnc-screen.ts'

export type LinuxRemoteOptions = { vnc?: VncServer | undefined; allow_shell?: boolean }

const command_ms = 60_000

type Settings = Partial<Record<'vnc' | 'vnc-password-file' | 'vnc-anywhere' | 'allow-shell', string>>

/** What the owner allows of the VNC server and of a shell of this machine. Throws where the setting says no server. */
export function remoteOptionsFrom(settings: Settings): LinuxRemoteOptions {
  const { vnc: address, 'vnc-password-file': password_file } = settings
  const allow_shell = isYes(settings['allow-shell'])
  if (!address) return { allow_shell }
  const [, host = '', digits] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(address)?.filter(Boolean) ?? []
  const port = Number(digits)
  if (!(port > 0 && port < 65_536)) throw new Error(`The VNC server is HOST:PORT, not ${address}`)
  if (!/^(localhost|127(\.\d+){3}|::1)$/i.test(host) && !isYes(settings['vnc-anywhere']))
    throw new Error(`The VNC server ${host} is not of this machine: --vnc-anywhere yes allows that, unencrypted`)
  return { allow_shell, vnc: { host, port, password_file } }
}
const isYes = (text: string | undefined): boolean => text === 'yes' || text === '1'

/** What may be opened of this machine: what its owner has named, and its log. */
export function linuxRemote(
  { vnc, allow_shell }: LinuxRemoteOptions,
  commands: { remote?: string[] | undefined; log_follow?: string[] | undefined },
  log: (line: string) => void,
): RemoteBody {
  const kinds: RemoteBody['kinds'] = [
    ...(vnc ? (['desktop'] as const) : []),
    ...(allow_shell ? (['terminal'] as const) : []),
    'log',
  ]
  let wanted: readonly string[] | undefined
  let showing: Promise<void> | undefined
  /** One at a time, and the last word last. */
  async function show() {
    while (wanted) {
      const names = wanted
      wanted = undefined
      const env = { MDM_VIEWER: names.join(', '), MDM_VIEWERS: String(names.length) }
      await runCommand(commands.remote ?? [], { timeout_ms: command_ms, env }).catch((error: Error) =>
        log(`remote: ${error.message}`),
      )
    }
    showing = undefined
  }
  return {
    kinds,
    async open(params, { journal, signal }) {
      if (params.kind === 'desktop') {
        if (!vnc) throw new TaskFailure('no_source', 'No VNC server is named on this device: --vnc HOST:PORT')
        return vncScreen(vnc, params, signal)
      }
      if (params.kind === 'log') return followLog(commands.log_follow, journal)
      if (!allow_shell)
        throw new TaskFailure('permission_missing', 'Shells are not allowed on this device: --allow-shell yes')
      return terminal(params)
    },
    async show_viewers(names) {
      if (!commands.remote) return
      wanted = names
      await (showing ??= show())
    },
  }
}
