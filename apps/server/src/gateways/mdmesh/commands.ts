import type { Down } from '@mdm/device-link'
import type { Command } from './kept.ts'
import { agent_package } from './telemetry.ts'

type Task = Down['task']
type Cannot = { code: string; message: string }
export type Facts = { origin: string; sdk: number | undefined }

const cannot = (code: string, message: string): Cannot => ({ code, message })
const asks_nobody = cannot('not_supported', 'The agent does not ask its user')
const no_zone = cannot('not_supported', 'The agent does not tell its time zone')
const in_parts = cannot('package_kind', 'This agent installs only single APKs')
const no_password = cannot('not_supported', 'Setting a password needs Android 8')
const itself = cannot('not_supported', 'The agent does not remove itself: reset the device instead')
/** Said of kinds that somebody pushed before the device had said what it can do. */
const reasons: Record<string, string> = {
  shutdown: 'Android gives agents no way to shut a device down',
  screenshot: 'The agent cannot see the screen',
  remote_log: 'The agent sends no logs',
  os: 'The agent does not install systems',
  file: 'The agent does not receive files',
  config_file: 'The agent does not receive files',
}

/** What the agent has to do for a task, or why it cannot. */
export function commandsOf(task: Task, { origin, sdk }: Facts): Command[] | Cannot {
  if (task.download_prompt || task.install_prompt) return asks_nobody
  if (task.window) return no_zone
  switch (task.type) {
    case 'message':
      return [{ type: 'device.alert', payload: { title: task.payload.title, body: task.payload.text } }]
    case 'lock': {
      const { password } = task.payload
      if (password !== undefined && sdk !== undefined && sdk < 26) return no_password
      const set: Command[] =
        password === undefined ? [] : [{ type: 'device.passcodeReset', payload: { newPassword: password } }]
      return [...set, { type: 'device.lock' }]
    }
    case 'find':
      return [{ type: 'device.ring', payload: { durationMs: task.payload.seconds * 1000 } }]
    case 'restart':
      return [{ type: 'device.reboot' }]
    case 'factory_reset':
      return [{ type: 'device.wipe' }]
    case 'app_uninstall':
      if (task.payload.packages.includes(agent_package)) return itself
      return task.payload.packages.map((packageName) => ({ type: 'app.uninstall', payload: { packageName } }))
    case 'app_install':
      return installs(task, origin)
    default:
      return cannot('not_supported', reasons[task.type] ?? 'The agent cannot do this')
  }
}

function installs(task: Task & { type: 'app_install' }, origin: string): Command[] | Cannot {
  const { apps } = task.payload
  if (apps.some(({ kind }) => kind !== 'apk')) return in_parts
  const starts = task.after_install === 'start_app'
  const commands = apps.map(({ package: packageName, file, version_code, is_dependency }): Command => ({
    type: 'app.install',
    payload: {
      packageName,
      url: new URL(file.url, origin).href,
      versionCode: version_code,
      sha256: file.sha256,
      runAfterInstall: starts && !is_dependency,
    },
  }))
  return task.after_install === 'restart' ? [...commands, { type: 'device.reboot' }] : commands
}

/** What a push asks of the device and is not so now; undefined where it may begin. */
export function waitsFor(
  { network, min_battery, type }: Task,
  now: { network: string | undefined; level: number | undefined; is_charging: boolean },
): { state: 'wait_download' | 'wait_execute'; for: 'network' | 'battery' } | undefined {
  if (type === 'app_install' && network === 'wifi' && now.network !== 'wifi')
    return { state: 'wait_download', for: 'network' }
  const is_low = min_battery !== undefined && now.level !== undefined && now.level < min_battery && !now.is_charging
  return is_low ? { state: 'wait_execute', for: 'battery' } : undefined
}
