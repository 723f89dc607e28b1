import { ltscopes } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import type { Deps } from '../../deps.ts'

export type PlatformRow = {
  section: ConfigSection | 'fence'
  ltscope: number
  terminal_group_kid: null
  terminal_kid: null
  value: unknown
  updated_at: Date
  updated_by: string
}
/** How long another server may go by what the platform said before. */
const fresh_ms = 3_000
const read = new WeakMap<object, { at: number; rows: Promise<PlatformRow[]> }>()

/** What the platform sets: a few rows that every list of devices needs, so they are kept for a moment. */
export function platformRows(deps: Deps): Promise<PlatformRow[]> {
  const now = deps.clock.now().getTime()
  const known = read.get(deps.database)
  if (known && Math.abs(now - known.at) < fresh_ms) return known.rows
  const rows = deps.db
    .selectFrom('terminal_config')
    .select(['section', 'value', 'updated_at', 'updated_by'])
    .where('account_kid', 'is', null)
    .execute()
    .then((found) =>
      found.map((row) => ({ ...row, ltscope: ltscopes.platform, terminal_group_kid: null, terminal_kid: null })),
    )
  read.set(deps.database, { at: now, rows })
  rows.catch(() => read.delete(deps.database))
  return rows
}

export const forgetPlatformRows = (deps: Deps): void => void read.delete(deps.database)
