import type { Fence, FenceArea } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { unseal } from '../../../lib/sealed.ts'

type Db = Kysely<Tables>
type FenceRow = Selectable<Tables['electronic_fence']>
/** What a device is told of its fence, the password still sealed. */
export type FenceInForce = FenceArea &
  Pick<FenceRow, 'name' | 'alarm_seconds' | 'is_locking' | 'password_sealed'> & {
    fence_kid: string
    fence_version: number
  }
/** `ltscope` is the level that the fence comes from; null where none is set, which is also the platform's. */
export type Effective = {
  terminal_kid: string
  account_kid: string
  judges_fence: boolean
  ltscope: number | null
  /** The user who set it there, null where none is set. */
  set_by_kid: string | null
  set_by: string | null
  set_by_token_kid: string | null
  set_at: Date | null
  fence: FenceInForce | null
}

type Row = Omit<Effective, 'fence'> & { [K in keyof FenceInForce]: FenceInForce[K] | null }

/** A column of the setting of the nearest level that has one. */
const nearest = (column: 'value' | 'updated_by_kid' | 'updated_by' | 'updated_by_token_kid' | 'updated_at') => {
  const columnOf = (table: string) => sql.ref(`${table}.${column}`)
  return sql`CASE WHEN own.kid IS NOT NULL THEN ${columnOf('own')} WHEN of_group.base IS NOT NULL THEN ${columnOf('of_group')}
    ELSE ${columnOf('whole')} END`
}

/**
 * The fence that is in force for each of these devices: of the nearest level that has one, the device, its group, those
 * above it, the account. One that is switched off, or none at that level, closes it for all below.
 */
export async function fencesOf(db: Db, terminal_kids: readonly string[]): Promise<Effective[]> {
  if (terminal_kids.length === 0) return []
  const { rows } = await sql<Row>`
    WITH RECURSIVE device AS MATERIALIZED (
      SELECT kid, account_kid, terminal_group_kid, judges_fence, judges_polygons FROM terminal WHERE kid = ANY(${terminal_kids}::uuid[])
    ), above AS (
      SELECT g.kid AS base, g.kid AS at, g.parent_kid, 0 AS steps
      FROM (SELECT DISTINCT terminal_group_kid AS kid FROM device) d JOIN terminal_group g USING (kid)
      UNION ALL
      SELECT a.base, g.kid, g.parent_kid, a.steps + 1 FROM above a JOIN terminal_group g ON g.kid = a.parent_kid
    ), of_group AS MATERIALIZED (
      SELECT DISTINCT ON (a.base) a.base, c.value, c.updated_by_kid, c.updated_by, c.updated_by_token_kid, c.updated_at FROM above a
      JOIN terminal_config c ON c.terminal_group_kid = a.at AND c.section = 'fence' ORDER BY a.base, a.steps
    ), set_at AS (
      SELECT d.kid, d.account_kid, d.judges_fence, d.judges_polygons,
        CASE WHEN own.kid IS NOT NULL THEN 40 WHEN of_group.base IS NOT NULL THEN 30 WHEN whole.kid IS NOT NULL THEN 20 END
          AS ltscope,
        (${nearest('value')} ->> 'fence_kid')::uuid AS fence_kid, ${nearest('updated_by_kid')} AS set_by_kid, ${nearest('updated_by')} AS set_by,
        ${nearest('updated_by_token_kid')} AS set_by_token_kid, ${nearest('updated_at')} AS set_at
      FROM device d
      LEFT JOIN terminal_config own ON own.terminal_kid = d.kid AND own.section = 'fence'
      LEFT JOIN of_group ON of_group.base = d.terminal_group_kid
      LEFT JOIN terminal_config whole ON whole.account_kid = d.account_kid AND whole.section = 'fence'
        AND COALESCE(whole.terminal_kid, whole.terminal_group_kid, whole.account_kid) = d.account_kid
    )
    SELECT s.kid AS terminal_kid, s.account_kid, s.judges_fence AND (f.points IS NULL OR s.judges_polygons) AS judges_fence,
      s.ltscope, s.set_by_kid, s.set_by, s.set_by_token_kid, s.set_at,
      f.kid AS fence_kid, f.version AS fence_version,
      f.name, f.longitude, f.latitude, f.radius, f.points, f.duration, f.accuracy, f.alarm_seconds, f.is_locking, f.password_sealed
    FROM set_at s LEFT JOIN electronic_fence f ON f.kid = s.fence_kid AND f.account_kid = s.account_kid AND f.is_on
    ORDER BY s.kid
  `.execute(db)
  return rows.map((row) => {
    const { terminal_kid, account_kid, judges_fence, ltscope, set_by_kid, set_by, set_by_token_kid, set_at, ...fence } =
      row
    return {
      terminal_kid,
      account_kid,
      judges_fence,
      ltscope,
      set_by_kid,
      set_by,
      set_by_token_kid,
      set_at,
      fence: fence.fence_kid === null ? null : (fence as FenceInForce),
    }
  })
}

/** As it is kept with the configuration that a device ought to hold: the password sealed. */
export type SealedFence = Omit<Fence, 'lock_password'> & { password_sealed?: string }

export function fenceForDevice(in_force: FenceInForce): SealedFence {
  const { is_locking, password_sealed, alarm_seconds, points, ...fence } = in_force
  return {
    ...fence,
    shape: points ? 'polygon' : 'circle',
    ...(points && { points }),
    ...(alarm_seconds === null ? {} : { alarm_seconds }),
    ...(is_locking && password_sealed !== null ? { password_sealed } : {}),
  }
}

/** As it goes over the wire. */
export async function openFence(deps: Deps, { password_sealed, ...fence }: SealedFence): Promise<Fence> {
  return password_sealed === undefined ? fence : { ...fence, lock_password: await unseal(deps, password_sealed) }
}
