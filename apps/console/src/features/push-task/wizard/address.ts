import type { PushableType } from '@mdm/contract'
import { link } from '../../../core/links.ts'
import { sessionState } from '../../../core/session-store.ts'
import { readStoredJson, writeStored } from '../../../lib/stored.ts'
import type { Target } from '../../../shared/device/targets.tsx'
import type { Match } from '../../../shared/device/WhichDevices.tsx'

type Named = Pick<Target, 'kid' | 'sn' | 'name'>
/** What a place knows of the push that begins there. */
export type Given = {
  type?: PushableType | undefined
  devices?: readonly Named[]
  /** Every device that is found by this, and how a person would say it. */
  match?: Match | undefined
  said?: string
  terminal_group_kid?: string
  terminal_dynamic_group_kid?: string
  /** A push that is done again, or a template. */
  copy?: string
  template?: string
}

/** So many devices stand in an address that can be sent to a colleague; more are kept by this tab. */
const in_address = 20
type Kept = { id: string; account_kid: string | null; devices?: readonly Named[]; match?: Match; said?: string }
const kept_key = 'push_given'
const kept_max = 5
const isKept = (value: unknown): value is Kept[] =>
  Array.isArray(value) && value.every((each) => typeof (each as Kept | null)?.id === 'string')

/** Where the wizard begins with what is known. Remembers in this tab what has no room in an address. */
export const wizardAddress = (given: Given): string => link.pushTaskAdd.to(remembered(given))

type AppsGiven = Omit<Given, 'type' | 'copy' | 'template'> & {
  /** Of the version that is offered when it is pushed, where none is named. */
  apps?: readonly { app_kid: string; version_kid?: string | undefined }[]
  may_downgrade?: boolean
  /** Packages to be removed. */
  uninstalls?: readonly string[]
}
/** The same for a push of apps, which has a page of its own. */
export const appPushAddress = ({ apps = [], may_downgrade, uninstalls = [], ...given }: AppsGiven): string =>
  link.appCenterPush.to({
    ...remembered(given),
    app: apps.map(({ app_kid, version_kid }) => [app_kid, version_kid].filter(Boolean).join('.')).join(','),
    ...(may_downgrade && { downgrade: 'true' }),
    uninstall: uninstalls.join(','),
  })

/** The same for a push of an OS version, which has a page of its own. */
export const osPushAddress = (given: Pick<Given, 'devices'>): string => link.userOsPush.to(remembered(given))

/** What an address of a push of apps says. */
export function readAppAddress(search: URLSearchParams) {
  const parts = (name: string) => (search.get(name) ?? '').split(',').filter(Boolean)
  const apps = parts('app').map((each) => {
    const [app_kid = '', version_kid] = each.split('.')
    return { app_kid, ...(version_kid && { version_kid }) }
  })
  const packages = parts('uninstall')
  const work =
    packages.length > 0
      ? { type: 'app_uninstall' as const, values: { packages } }
      : { type: 'app_install' as const, values: { apps, may_downgrade: search.get('downgrade') === 'true' } }
  return { ...readAddress(search), ...work }
}

/** As parts of an address. */
function remembered({ devices = [], match, said, ...given }: Given) {
  if (match === undefined && devices.length <= in_address)
    return { ...given, terminal_kids: devices.map(({ kid }) => kid).join(',') }
  const id = Date.now().toString(36)
  const named = devices.map(({ kid, sn, name }) => ({ kid, sn, name }))
  const one: Kept = { id, account_kid: sessionState().account_kid, ...(match ? { match, said } : { devices: named }) }
  const before = (readStoredJson('session', kept_key, isKept) ?? []).filter((each) => each.id !== id)
  writeStored('session', kept_key, JSON.stringify([one, ...before].slice(0, kept_max)))
  return { ...given, given: id }
}

const plain = [
  'terminal_group_kid',
  'terminal_dynamic_group_kid',
  'copy',
  'template',
] as const satisfies readonly (keyof Given)[]
/** What an address of the wizard says; `is_lost` when it names what only another tab knew. */
export function readAddress(search: URLSearchParams): Given & { kids: string[]; is_lost: boolean } {
  const text = (name: string) => search.get(name) || undefined
  const id = text('given')
  const kept = (readStoredJson('session', kept_key, isKept) ?? []).find(
    (each) => each.id === id && each.account_kid === sessionState().account_kid,
  )
  return {
    type: text('type') as PushableType | undefined,
    kids: [...new Set((text('terminal_kids') ?? '').split(',').filter(Boolean))],
    ...(kept?.devices && { devices: kept.devices }),
    ...(kept?.match && { match: kept.match, said: kept.said ?? '' }),
    ...Object.fromEntries(plain.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : []))),
    is_lost: id !== undefined && !kept,
  }
}
