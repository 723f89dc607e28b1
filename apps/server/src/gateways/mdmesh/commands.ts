import type { Down } from '@mdm/device-link'
import type { Command, Open, Outcome, Trade } from '../shared/command-work.ts'
import { cannot, unable } from '../shared/refusals.ts'
import type { Ended } from '../shared/refusals.ts'
import { agent_package } from './telemetry.ts'

type Task = Down['task']
type Facts = { origin: string; sdk: number | undefined; agent_version: string | undefined }

/** What the agent is told for a task, and how its own words are read. */
export const mdmeshTrade = (facts: Facts): Trade => ({
  commandsOf: (task) => commandsOf(task, facts),
  stop_ringing: { type: 'device.ringStop' },
  restart: 'device.reboot',
  list_apps: { type: 'apps.scan' },
  instead,
  seen: (open) => selfUpdate(open, facts.agent_version),
})

function commandsOf(task: Task, { origin, sdk }: Facts): Command[] | Ended {
  if (task.download_prompt || task.install_prompt) return cannot('not_supported', 'The agent does not ask its user')
  if (task.window) return cannot('not_supported', 'The agent does not tell its time zone')
  switch (task.type) {
    case 'message':
      return [{ type: 'device.alert', payload: { title: task.payload.title, body: task.payload.text } }]
    case 'lock': {
      const { password: newPassword } = task.payload
      if (newPassword === undefined) return [{ type: 'device.lock' }]
      if (sdk !== undefined && sdk < 26) return cannot('not_supported', 'Setting a password needs Android 8')
      return [{ type: 'device.passcodeReset', payload: { newPassword } }, { type: 'device.lock' }]
    }
    case 'find':
      return [{ type: 'device.ring', payload: { durationMs: task.payload.seconds * 1000 } }]
    case 'restart':
      return [{ type: 'device.reboot' }]
    case 'factory_reset':
      return [{ type: 'device.wipe' }]
    case 'app_uninstall':
      if (task.payload.packages.includes(agent_package))
        return cannot('not_supported', 'The agent does not remove itself: reset the device instead')
      return task.payload.packages.map(uninstall)
    case 'app_install':
      return installs(task, origin)
    default:
      return unable('mdmesh', task.type)
  }
}

export const uninstall = (packageName: string): Command => ({ type: 'app.uninstall', payload: { packageName } })

function installs(task: Task & { type: 'app_install' }, origin: string): Command[] | Ended {
  const { apps } = task.payload
  if (apps.some(({ kind }) => kind !== 'apk')) return cannot('package_kind', 'This agent installs only single APKs')
  const starts = task.after_install === 'start_app'
  const commands = apps.map(({ package: packageName, file, version_code: versionCode, is_dependency }): Command => {
    const { href: url } = new URL(file.url, origin)
    const runAfterInstall = starts && !is_dependency
    return { type: 'app.install', payload: { packageName, url, versionCode, sha256: file.sha256, runAfterInstall } }
  })
  return task.after_install === 'restart' ? [...commands, { type: 'device.reboot' }] : commands
}

/** A higher version is there, and the push may put a lower one in its place: it goes first, with its data. */
function instead({ task, commands }: Open, failed: Outcome): Command[] | undefined {
  if (!failed.detail.startsWith('downgrade blocked') || task?.type !== 'app_install') return undefined
  const gone = commands.flatMap(({ type, payload }) => (type === 'app.uninstall' ? payload?.['packageName'] : []))
  const giving = task.payload.apps.filter((app) => app.may_downgrade && !gone.includes(app.package))
  return giving.length === 0 ? undefined : [...giving.map((app) => uninstall(app.package)), ...commands]
}

/** The agent that installs itself ends before it can say so. */
function selfUpdate({ task, commands }: Open, agent_version: string | undefined): Record<string, Outcome> {
  const apps = task?.type === 'app_install' ? task.payload.apps : []
  const own = apps.find((app) => app.package === agent_package && app.version === agent_version)
  const place = commands.findIndex(
    ({ type, payload }) => type === 'app.install' && payload?.['packageName'] === agent_package,
  )
  return own && place >= 0 ? { [place]: { status: 'done', detail: `version ${own.version}` } } : {}
}
