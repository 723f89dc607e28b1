import * as z from 'zod'
import type { Text } from '../wire.ts'

/** Kinds of configuration and the levels they are set at, by the numbers the specification gives them. */
export const configTypes = { os: 1, event: 2, fence: 3, self_defined_list: 99, istage: 101 } as const
export const ltscopes = { platform: 10, account: 20, group: 30, profile: 35, terminal: 40 } as const
export type LevelName = keyof typeof ltscopes
export const levelNames = Object.keys(ltscopes) as LevelName[]
export type Ltscope = (typeof ltscopes)[LevelName]
/** How a configuration stands: nothing is set, a change is on its way, every device has it. */
export const configStates = { not_configured: -1, modify: 1, modified: 2 } as const
/** Where a value comes from that may be taken from the device. */
export const configOptions = { no_change: -2, custom: 0, device_model: 1, device_sn: 2 } as const

/**
 * Every section with its kind, in the order of forms. What they are stands in sections.ts, apart from here: the console's first
 * pages need to know calls, and not the forms of all sections.
 */
export const configSectionTypes = {
  collection: configTypes.event,
  map_type: configTypes.event,
  screen_lock: configTypes.os,
  manage_password: configTypes.os,
  device_name: configTypes.os,
  wifi_profiles: configTypes.os,
  wifi_channels: configTypes.os,
  mobile_data: configTypes.os,
  proxy: configTypes.os,
  ntp: configTypes.os,
  time_zone: configTypes.os,
  language: configTypes.os,
  display: configTypes.os,
  hardware: configTypes.os,
  key_mapping: configTypes.os,
  factory_reset: configTypes.os,
  url_lists: configTypes.os,
  app_lists: configTypes.os,
  kiosk: configTypes.os,
  permission_policy: configTypes.os,
  managed_apps: configTypes.os,
  certificates: configTypes.os,
  update_window: configTypes.os,
  server_address: configTypes.os,
  istage: configTypes.istage,
  list_columns: configTypes.self_defined_list,
} as const
export type ConfigSection = keyof typeof configSectionTypes
export const configSectionKeys = Object.keys(configSectionTypes) as ConfigSection[]
export const isSection = (name: string): name is ConfigSection => Object.hasOwn(configSectionTypes, name)
export const sectionsOfType = (type: number): ConfigSection[] =>
  configSectionKeys.filter((key) => configSectionTypes[key] === type)
/** Kinds that have sections; the fence has a place of its own. */
export const sectionTypes = [...new Set(Object.values(configSectionTypes))]

type Declared = { title: Text; value: z.ZodType }
const declared = new Map<string, Declared>()
/** Called by sections.ts, once. */
export function declareSections(sections: Record<ConfigSection, Declared>): void {
  for (const [key, section] of Object.entries(sections)) declared.set(key, section)
}
/** What `save` takes for a section. Where sections.ts is not loaded nothing is known of it, and whatever comes is passed on. */
export const sectionSchema = (section: ConfigSection): z.ZodType =>
  z.lazy(() => declared.get(section)?.value ?? z.unknown())
export const sectionTitle = (section: string): Text | undefined => declared.get(section)?.title
