import type { AppEntry, AppToInstall } from '@mdm/device-link'
import * as z from 'zod'
import { TaskFailure } from './body.ts'
import type { Apps } from './body.ts'
import type { Random } from './random.ts'
import { apps } from './simulated-models.ts'

type Played = { name: string; title: string; version: string; version_code?: number; size: number }

const Policy = z.object({
  exceptions: z.array(
    z.object({ package: z.string(), permission: z.string(), answer: z.enum(['ask', 'grant', 'deny']) }),
  ),
})
type State = NonNullable<AppEntry['permissions']>[number]['state']

const asked = ['camera', 'location', 'microphone', 'notifications', 'storage'] as const
/** The launcher and the like cannot go. */
const isSystem = (name: string): boolean => name.endsWith('.launcher')

/** Apps of a device that is played: what is uninstalled is gone from its inventory too. */
export function simulateApps(random: Random, perform: (what: string) => void) {
  let installed: Played[] = apps.slice(0, 4 + Math.floor(random.between(0, 5))).map(([name, title]) => ({
    name,
    title,
    version: `${Math.floor(random.between(1, 4))}.${Math.floor(random.between(0, 20))}`,
    size: Math.floor(random.between(1e6, 8e7)),
  }))
  const permissions = new Map<string, NonNullable<AppEntry['permissions']>>()
  const permissionsOf = (name: string) => {
    const known = permissions.get(name) ?? asked.map((permission) => ({ name: permission, state: 'default' as const }))
    permissions.set(name, known)
    return known
  }
  /** What a configuration says of permissions: `grant` and `deny` hold for the user too, everything else is as it was. */
  const decide = (policy: unknown) => {
    const { exceptions } = Policy.parse(policy)
    for (const { name } of installed) {
      const said = exceptions.filter((each) => each.package === name)
      const held = permissionsOf(name).map((each) => ({ ...each, state: 'default' as State }))
      for (const { permission, answer } of said) {
        const state = answer === 'ask' ? 'default' : answer === 'grant' ? 'allow' : 'deny'
        const one = held.find((each) => each.name === permission)
        if (one) one.state = state
        else held.push({ name: permission, state })
      }
      permissions.set(name, held)
    }
  }
  const need = (name: string) => {
    if (!installed.some((app) => app.name === name)) throw new TaskFailure('not_found', `There is no ${name}`)
  }
  const self: Pick<Apps, 'list' | 'installed' | 'uninstall' | 'set_permission'> = {
    list: async () =>
      installed.map(({ name, ...rest }) => ({
        package: name,
        ...rest,
        is_system: isSystem(name),
        permissions: permissionsOf(name).map((permission) => ({ ...permission })),
      })),
    async installed(name) {
      const app = installed.find((each) => each.name === name)
      return app && { version: app.version, version_code: app.version_code }
    },
    async uninstall(name) {
      need(name)
      if (isSystem(name)) throw new TaskFailure('not_supported', `${name} belongs to the system`)
      installed = installed.filter((app) => app.name !== name)
      permissions.delete(name)
      perform(`uninstall ${name}`)
    },
    async set_permission(name, permission, state) {
      need(name)
      const held = permissionsOf(name).find((each) => each.name === permission)
      if (!held) throw new TaskFailure('not_found', `${name} does not ask for ${permission}`)
      held.state = state
      perform(`permission ${name} ${permission} ${state}`)
    },
  }
  const reset = () => {
    installed = installed.filter(({ name }) => isSystem(name))
    permissions.clear()
  }
  const put = ({ package: name, title, version, version_code, file }: AppToInstall) => {
    const app = { name, title, version, version_code, size: file.size }
    installed = [...installed.filter((each) => each.name !== name), app]
    perform(`install ${name} ${version}`)
  }
  return { apps: self, packages: () => installed, put, need, decide, reset }
}
