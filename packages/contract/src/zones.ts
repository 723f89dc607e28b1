import * as z from 'zod'
import { isZone, wrong } from './wire.ts'

/**
 * Zones that were renamed, by the names that browsers and older rows still have: V8 answers `Asia/Saigon` where the
 * database of zones has said `Asia/Ho_Chi_Minh` for years.
 */
const renamed: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Chongqing': 'Asia/Shanghai',
  'Asia/Dacca': 'Asia/Dhaka',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Macao': 'Asia/Macau',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Asia/Ulan_Bator': 'Asia/Ulaanbaatar',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Etc/GMT': 'UTC',
  'Etc/UCT': 'UTC',
  'Etc/UTC': 'UTC',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
  GMT: 'UTC',
  PRC: 'Asia/Shanghai',
}

/** A zone by the name that it has today. */
export const todaysZone = (zone: string): string => (Object.hasOwn(renamed, zone) ? renamed[zone]! : zone)

/**
 * What a machine, a browser or a stored row says of its zone, by the name of today; undefined where this machine cannot show
 * times in it: a machine without a zone says `Etc/Unknown` or nothing, and a newer one knows zones that an older one does not.
 */
export const knownZone = (zone: string | null | undefined): string | undefined =>
  zone && isZone(zone) ? [todaysZone(zone), zone].find(isZone) : undefined

export const Zone = z
  .string()
  .max(64)
  .refine(isZone, wrong('zone_unknown'))
  .transform(todaysZone)
  .describe('IANA time zone')
