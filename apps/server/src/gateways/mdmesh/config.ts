import type { Down } from '@mdm/device-link'
import { takeConfig } from '../shared/command-config.ts'
import type { Step } from '../shared/command-config.ts'
import { partOf, textOf, textsOf } from '../shared/values.ts'
import type { Turn } from './check-in.ts'

/** Ours to theirs. */
const ports = { usb: 'usbStorage', bluetooth: 'bluetooth', camera: 'camera' } as const

/** Sections that an agent with these policies obeys. */
export const sectionsOf = (policies: readonly string[]): string[] => [
  'collection',
  'kiosk',
  ...(Object.values(ports).some((policy) => policies.includes(policy)) ? ['hardware'] : []),
  ...(policies.includes('factoryReset') ? ['factory_reset'] : []),
]

export function configure(turn: Turn, wanted: Down['config'], policies: readonly string[]): void {
  const { kept } = turn
  const { hardware, kiosk, collection, factory_reset } = wanted.config
  takeConfig(turn, wanted, () => {
    const allow = (section: string, policy: string, said: unknown): Step[] =>
      policies.includes(policy) && (said === 'allowed' || said === 'forbidden')
        ? [{ section, command: { type: 'policy.apply', payload: { policy, value: said === 'allowed' } } }]
        : []
    const steps = Object.entries(ports).flatMap(([field, name]) => allow('hardware', name, partOf(hardware)[field]))
    steps.push(...allow('factory_reset', 'factoryReset', partOf(factory_reset)['by_users']))
    const is_on = partOf(collection)['is_location_on']
    kept.is_location_on = is_on === true
    if (is_on !== undefined) steps.push({ section: 'collection', command: locate(is_on === true) })
    const mode = kioskOf(partOf(kiosk), kept.has_kiosk === true)
    if (mode) kept.has_kiosk = mode.type === 'kiosk.enter'
    if (mode) steps.push({ section: 'kiosk', command: mode })
    const obeyed = sectionsOf(policies)
    const partly = Object.keys(wanted.config).filter((section) => !obeyed.includes(section))
    // Of the ports it can shut some.
    const shut = Object.entries(partOf(hardware)).filter(([, value]) => value === 'forbidden')
    const can = (field: string) => field in ports && policies.includes(ports[field as keyof typeof ports])
    return { steps, partly: shut.every(([field]) => can(field)) ? partly : [...partly, 'hardware'] }
  })
}

export const locate = (is_on: boolean) => ({
  type: 'device.locationMode',
  payload: { mode: is_on ? 'active' : 'passive' },
})

function kioskOf(kiosk: Record<string, unknown>, has_kiosk: boolean) {
  const { mode } = kiosk
  if (mode !== 'one_app' && mode !== 'several_apps')
    return mode === 'off' || has_kiosk ? { type: 'kiosk.exit' } : undefined
  const allowedPackages = textsOf(kiosk['apps'], 200)
  const password = textOf(kiosk['exit_password'], 64)
  const pinned = mode === 'one_app' ? { mode: 'single', pinPackage: allowedPackages[0] } : { mode: 'launcher' }
  // A gesture without a password would let anybody out.
  const exit = password === undefined ? { exitMode: 'remote' } : { exitMode: 'gesture', password }
  return { type: 'kiosk.enter', payload: { ...pinned, allowedPackages, ...exit } }
}
