import { text } from '../wire.ts'
import { configSectionKeys } from './names.ts'
import type { ConfigSection } from './names.ts'

/** What sections are about, as a table of contents has them. */
export const configAreas = {
  network: text('Network', 'Mạng', '网络'),
  security: text('Security', 'Bảo mật', '安全'),
  apps: text('Apps', 'Ứng dụng', '应用'),
  device: text('Device', 'Thiết bị', '设备'),
  console: text('Console', 'Bảng điều khiển', '控制台'),
} as const
export type ConfigArea = keyof typeof configAreas
export const configAreaKeys = Object.keys(configAreas) as ConfigArea[]

const areaOf = {
  collection: 'device',
  map_type: 'console',
  screen_lock: 'security',
  manage_password: 'security',
  device_name: 'device',
  wifi_profiles: 'network',
  wifi_channels: 'network',
  mobile_data: 'network',
  proxy: 'network',
  ntp: 'network',
  time_zone: 'device',
  language: 'device',
  display: 'device',
  hardware: 'security',
  key_mapping: 'device',
  factory_reset: 'security',
  url_lists: 'network',
  app_lists: 'apps',
  kiosk: 'apps',
  permission_policy: 'apps',
  managed_apps: 'apps',
  certificates: 'security',
  update_window: 'device',
  server_address: 'network',
  istage: 'device',
  list_columns: 'console',
} as const satisfies Record<ConfigSection, ConfigArea>

export const sectionsOfArea = (area: ConfigArea): ConfigSection[] =>
  configSectionKeys.filter((section) => areaOf[section] === area)
