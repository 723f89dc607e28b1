import type { AppToInstall } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { Body, InstalledApp } from '../body/body.ts'
import { download } from '../bulk.ts'
import { assertAgent, isAgent, upgradeAgent } from './agent-upgrade.ts'
import type { TaskKind } from './kind.ts'
import { assertRoom } from './room.ts'

/** Higher, equal (0) or lower than what is pushed: by version codes, otherwise by the numbers in the names. */
export function compareVersions(there: InstalledApp, pushed: { version: string; version_code: number }): number {
  if (there.version_code !== undefined) return Math.sign(there.version_code - pushed.version_code)
  const [a, b] = [numbersOf(there.version), numbersOf(pushed.version)]
  for (const at of a.length > b.length ? a.keys() : b.keys()) {
    // As arrays compare: what goes on is higher.
    const difference = (a[at] ?? -1) - (b[at] ?? -1)
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}
const numbersOf = (version: string): number[] => [...version.matchAll(/\d+/g)].map(([digits]) => Number(digits))

/** Whether the device is to change for it at all. */
async function isWanted(body: Body, app: AppToInstall): Promise<boolean> {
  const there = await body.apps.installed(app.package)
  if (!there) return true
  const difference = compareVersions(there, app)
  return difference < 0 || (difference > 0 && app.may_downgrade === true)
}

async function standing(body: Body, packages: readonly string[]) {
  const apps: { package: string; version?: string; version_code?: number }[] = []
  for (const name of packages) {
    const there = await body.apps.installed(name)
    const { version, version_code } = there ?? {}
    apps.push({
      package: name,
      ...(version !== undefined && { version }),
      ...(version_code !== undefined && { version_code }),
    })
  }
  return apps
}
export { standing }

/**
 * All packages are there and verified before the first one is installed. Each app is installed as a whole or not at all, so
 * an attempt that was cut off goes on with the app at which it was.
 */
export const app_install: TaskKind<'app_install'> = {
  what: 'install apps on this device',
  can_repeat: true,

  async fetch({ apps }, context, on_progress) {
    const { body, bulk, signal } = context
    const wanted: AppToInstall[] = []
    for (const app of apps) if (await isWanted(body, app)) wanted.push(app)
    for (const app of wanted) {
      await body.apps.assertFits(app)
      if (isAgent(app)) await assertAgent(app, context)
    }
    const total = Math.max(
      1,
      wanted.reduce((sum, { file }) => sum + file.size, 0),
    )
    const packages = wanted.map(({ file }) => file)
    await assertRoom(body, packages, (index) => body.apps.land(wanted[index]!))
    let done = 0
    for (const app of wanted) {
      await bulk.turns(app.file.sha256, async () => {
        signal.throwIfAborted()
        const landing = await body.apps.land(app)
        try {
          const file = { ...app.file, path: '/' }
          await download(bulk, file, landing, signal, (bytes) => on_progress(((done + bytes) / total) * 100))
        } finally {
          await landing.close()
        }
      })
      done += app.file.size
    }
  },

  async execute({ apps }, context) {
    const { id, body, bulk, signal } = context
    const lines: string[] = []
    for (const app of apps.filter((one) => !isAgent(one)))
      await bulk.turns(app.file.sha256, async () => {
        const said = `${app.title} ${app.version}`
        // Another task may have brought it meanwhile.
        if (!(await isWanted(body, app))) return void lines.push(`${said}: there already`)
        signal.throwIfAborted()
        await body.apps.assertFits(app)
        const landing = await body.apps.land(app)
        try {
          // It may have waited for hours, or for a restart, since it was fetched.
          if (landing.position !== app.file.size || landing.digests().sha256 !== app.file.sha256)
            throw new TaskFailure('hash_mismatch', `${app.file.name} changed on the device`)
          const parts = await body.apps.install(app, landing, signal)
          lines.push(`${said}: installed${parts ? `, with ${parts.join(', ')}` : ''}`)
        } finally {
          await landing.close()
        }
      })
    const agent = apps.find(isAgent)
    // Last: the agent ends with it.
    if (agent && ((await body.self?.trial())?.id === id || (await isWanted(body, agent)))) {
      const said = await bulk.turns(agent.file.sha256, () => upgradeAgent(agent, context))
      if (said === undefined) return { rebooting: {} }
      lines.push(`${agent.title}: ${said}`)
    } else if (agent) lines.push(`${agent.title} ${agent.version}: there already`)
    const packages = apps.map(({ package: name }) => name)
    return { text: lines.join('\n').slice(0, 4000), apps: await standing(body, packages) }
  },

  async start({ apps }, { body, signal }) {
    const failures: string[] = []
    for (const { package: name, title, is_dependency } of apps)
      if (!is_dependency)
        await body.apps.start(name, signal).catch((error: Error) => {
          if (!(error instanceof TaskFailure)) throw error
          failures.push(`${title} was not started: ${error.message}`)
        })
    return failures.length > 0 ? failures.join('\n') : undefined
  },
}
