import type { ConfigReason, ConfigDelivery, ConfigOutcome } from '@mdm/contract'
import { deviceSections } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import { levelsOf, settingsOf, configForDevice } from './levels.ts'

/**
 * Whether a device still has to confirm its configuration: the one rule of every screen and count. It reads the delivery `d`, which
 * a device without any lacks, and the state `s` of the device.
 */
export const isWaiting = sql<boolean>`(COALESCE(d.is_dirty, false) OR COALESCE(d.version, 0) IS DISTINCT FROM s.config_version)`

/** What a device is told where nothing is set. */
const preset = JSON.stringify(configForDevice(settingsOf([]), levelsOf([])))
/** Sections that a device was told beside the preset. */
const told = sql`jsonb_object_keys(d.config) AS k WHERE k = ANY(${[...deviceSections]}::text[])
  AND d.config -> k IS DISTINCT FROM ${preset}::jsonb -> k`
/** Those of a device `t` of which it never said that it can obey them. */
export const notAnnounced = sql<string[]>`ARRAY(
  SELECT k FROM ${told} AND t.config_sections IS NOT NULL AND NOT k = ANY(t.config_sections) ORDER BY k)`

/** The version that a device ought to hold; null until it is worked out. */
const versionWanted = sql<number | null>`CASE WHEN NOT COALESCE(d.is_dirty, false) THEN COALESCE(d.version, 0) END`

/** What `deliveryOf` reads of a device `t` with `d` and `s`. */
export const deliveryColumns = [
  's.config_version as version_held',
  versionWanted.as('version_wanted'),
  isWaiting.as('is_waiting'),
  notAnnounced.as('not_announced'),
  sql<string[]>`ARRAY(SELECT k FROM ${told} AND COALESCE(k = ANY(t.config_sections), true))`.as('sections_told'),
] as const
type Row = { version_held: number | null; is_waiting: boolean; not_announced: string[]; sections_told: string[] }
type Results = ReadonlyMap<string, { outcome: string }>

/** A device that never reported a version has not connected, and holding a version is not the same as having applied it. */
export function deliveryOf(
  { version_held, is_waiting, not_announced, sections_told }: Row,
  said: Results,
): ConfigDelivery {
  if (version_held === null) return 'not_connected'
  if (is_waiting) return 'waiting'
  const is_bad = [...said.values()].some(({ outcome }) => outcome !== 'applied')
  if (is_bad || not_announced.length > 0) return 'failed'
  return said.size > 0 && sections_told.every((section) => said.has(section)) ? 'applied' : 'received'
}

/** Why no section is applied: the device does not hold the version. Null where it does. */
export function absenceOf(state: ConfigDelivery, is_online: boolean) {
  if (state !== 'not_connected' && state !== 'waiting') return null
  const reason: ConfigReason | null = state === 'waiting' && !is_online ? 'offline' : null
  return { outcome: state as ConfigOutcome, reason, message: null }
}
