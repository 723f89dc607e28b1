import { device_apps_max } from '@mdm/contract'
import type { Contract, DeviceApp, In } from '@mdm/contract'
import type { AppEntry } from '@mdm/device-link'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { askDevice } from '../../../link/ask.ts'
import { keepInstalled } from '../../fleet/installed-app/index.ts'
import { assertOnline, isOnline, keepReport, lastReport } from '../terminal-file/index.ts'

type Calls = Contract['terminalApp']['calls']
/** A device that has always more to say; with a packet full in each part that is some hundred thousand apps. */
const most_parts = 100
const words = { not_found: 'device_app_missing' } as const

/** The whole inventory; a device gives it in as many parts as its packets need. Offline, what it last said. */
export async function list(actor: Actor, terminal_kid: string) {
  const { deps, scope } = actor
  const which = { terminal_kid, kind: 'apps', path: '', after: '' } as const
  if (!(await isOnline(scope, terminal_kid))) {
    const { items, reported_at } = await lastReport<DeviceApp>(actor, which)
    return { items, reported_at }
  }
  const all: DeviceApp[] = []
  const seen = new Set<string>()
  let after: string | undefined
  do {
    const params = after === undefined ? {} : { after }
    const { items, next } = await askDevice(deps, terminal_kid, 'app_list', params)
    // Each part has to bring something, and to go on: a device must not keep the server asking.
    if (next !== null && (items.length === 0 || seen.has(next) || seen.size >= most_parts))
      refuse('device_answer_invalid')
    if (next !== null) seen.add(next)
    all.push(...items.map(shown))
    if (all.length > device_apps_max) refuse('device_answer_invalid')
    after = next ?? undefined
  } while (after !== undefined)
  await keepReport(deps, which, { items: all, next: null })
  const packages = all.map(({ package: name, version, version_code }) => ({ name, version, version_code }))
  await keepInstalled(deps.db, [{ terminal_kid, packages }])
  return { items: all, reported_at: null }
}

const shown = ({ title, size, is_system, permissions, version_code, ...app }: AppEntry): DeviceApp => ({
  ...app,
  ...(version_code !== undefined && { version_code }),
  title: title ?? '',
  size: size ?? null,
  is_system: is_system ?? false,
  permissions: permissions ?? [],
})

export async function uninstall({ deps, scope }: Actor, { terminal_kid, ...params }: In<Calls['uninstall']>) {
  await assertOnline(scope, terminal_kid)
  await askDevice(deps, terminal_kid, 'app_uninstall', params, words)
}

export async function setPermission({ deps, scope }: Actor, { terminal_kid, ...params }: In<Calls['set_permission']>) {
  await assertOnline(scope, terminal_kid)
  await askDevice(deps, terminal_kid, 'app_permission', params, words)
}
