import type * as z from 'zod'
import { app_lists, kiosk, managed_apps, permission_policy } from './apps.ts'
import { collection, list_columns, map_type, url_lists } from './event.ts'
import { istage } from './istage.ts'
import { mapSecrets, secret_mask } from './kit.ts'
import type { AnySection } from './kit.ts'
import { configSectionKeys, declareSections } from './names.ts'
import type { ConfigSection } from './names.ts'
import { mobile_data, ntp, proxy, server_address, wifi_channels, wifi_profiles } from './network.ts'
import {
  certificates,
  device_name,
  display,
  factory_reset,
  hardware,
  key_mapping,
  language,
  manage_password,
  screen_lock,
  time_zone,
  update_window,
} from './system.ts'

/**
 * Sections of a configuration: each comes whole from the level nearest to the device at which it is set. A new one is its row
 * here: calls, forms, checks, differences and the page on the device link come from it.
 */
export const configSections = {
  collection,
  map_type,
  screen_lock,
  manage_password,
  device_name,
  wifi_profiles,
  wifi_channels,
  mobile_data,
  proxy,
  ntp,
  time_zone,
  language,
  display,
  hardware,
  key_mapping,
  factory_reset,
  url_lists,
  app_lists,
  kiosk,
  permission_policy,
  managed_apps,
  certificates,
  update_window,
  server_address,
  istage,
  list_columns,
} as const satisfies Record<ConfigSection, { type: number }>
declareSections(configSections)
export type ConfigValues = { [S in ConfigSection]: z.output<(typeof configSections)[S]['value']> }

/** A section whichever it is. */
export const sectionOf = (section: ConfigSection): AnySection => configSections[section] as unknown as AnySection
/** Sections that devices are told. */
export const deviceSections = configSectionKeys.filter((key) => !sectionOf(key).is_for_console)

/** Sections that can take a device out of people's hands. */
export const holdingSections = configSectionKeys.filter((key) => sectionOf(key).takes_hold)

/** What holds where nothing is set; a section that is not here leaves the device as it is. */
export const platformConfig = Object.fromEntries(
  configSectionKeys.flatMap((key) => {
    const { platform } = sectionOf(key)
    return platform === undefined ? [] : [[key, platform]]
  }),
) as Pick<ConfigValues, 'collection' | 'url_lists'> & Partial<ConfigValues>

/** As it may be shown: a secret that is set is the mask. */
export const masked = (section: ConfigSection, value: unknown): unknown =>
  mapSecrets(sectionOf(section).fields, value, (secret) => (secret === '' ? '' : secret_mask))

export * from './event.ts'
export * from './kit.ts'
export { wifiRegions } from './network.ts'
export type { WifiRegion } from './network.ts'
