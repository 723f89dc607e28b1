import type { Up } from '@mdm/device-link'
import { known, textOf } from '../shared/values.ts'
import type { Kept } from './kept.ts'

/** By names that clients use for their attributes. */
const first = (attributes: Kept['attributes'], names: readonly string[], most: number): string | undefined => {
  for (const name of names) {
    const text = textOf(Object.hasOwn(attributes, name) ? attributes[name] : undefined, most)
    if (text !== undefined) return text
  }
  return undefined
}
const count = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** What is for the one agent of this protocol is nothing for the other, where it says which it is. */
const formats = (user_agent = ''): string[] => (/rauc/i.test(user_agent) ? ['raucb'] : ['swu', 'raucb'])

/** What it said of itself, and what is known of it. */
export function inventoryOf({ attributes, build, user_agent }: Kept): Up['hello']['inventory'] {
  const of = (names: string[], most = 64) => first(attributes, names, most)
  return known({
    model: of(['model', 'device_model', 'device', 'compatible']),
    os_name: of(['os_name', 'distro']) ?? 'Linux',
    uid: of(['uid', 'device_type']),
    os_version: of(['os_version', 'sw_version', 'version']),
    version_code: count(of(['version_code'])),
    ver: count(of(['ver'])),
    imei: of(['imei'], 40),
    host: of(['hostname', 'host'], 255),
    service_version: of(['agent_version']) ?? (user_agent?.startsWith('libcurl') ? undefined : user_agent),
    ...build,
    task_types: ['os'],
    config_sections: [],
    os_formats: formats(user_agent),
  })!
}

export const serialOf = ({ attributes }: Kept): string | undefined =>
  first(attributes, ['serial', 'serial_number', 'sn'], 60)

/** Its attributes told another version than before: they are believed again. */
export const saysOtherBuild = (before: Kept['attributes'], now: Kept['attributes']): boolean =>
  ['os_version', 'sw_version', 'version', 'version_code', 'ver'].some((name) => before[name] !== now[name])
