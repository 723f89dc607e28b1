import * as z from 'zod'
import { shaped, text } from '../wire.ts'
import type { Text } from '../wire.ts'

/** What a template sets up on a device. A file that names another type is refused. */
export const istageTypes = {
  network: text('Network', 'Mạng', '网络'),
  keys: text('Keys', 'Phím', '按键'),
  kiosk: text('Kiosk', 'Kiosk', 'Kiosk'),
  scanner: text('Scanner', 'Máy quét', '扫描'),
  system: text('System', 'Hệ thống', '系统'),
  app: text('App', 'Ứng dụng', '应用'),
} as const satisfies Record<string, Text>
export type IstageTypeName = keyof typeof istageTypes
export const istageTypeNames = Object.keys(istageTypes) as IstageTypeName[]
export const IstageType = z.enum(istageTypeNames)

export const istageKinds = ['standard', 'custom'] as const
export type IstageKind = (typeof istageKinds)[number]
export const IstageKindName = z.enum(istageKinds)

const part = '(?:0|[1-9][0-9]{0,4})'
/** Three numbers: 3.0.3. */
export const standardVersion = new RegExp(String.raw`^${part}(?:\.${part}){2}$`)
/** Four numbers, an underscore, then letters or digits: 3.0.3.1_ab. */
export const customVersion = new RegExp(String.raw`^${part}(?:\.${part}){3}_[A-Za-z0-9]{1,16}$`)
export const isVersionOf = (kind: IstageKind, version: string): boolean =>
  (kind === 'standard' ? standardVersion : customVersion).test(version)

export const IstageVersion = z
  .string()
  .max(48)
  .regex(...shaped('istage_version', new RegExp(String.raw`^${part}(?:\.${part}){2}(?:\.${part}_[A-Za-z0-9]{1,16})?$`)))
