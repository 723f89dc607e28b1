import { ltscopes } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import type { Deps } from '../../../../deps.ts'

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
export type PlatformRows = { read?: { at: number; rows: PlatformRow[] }; times_forgotten: number }

/**
 * What the platform sets: a few rows that every list of devices needs, so they are kept for a moment. Each reads for itself
 * until one has read: a transaction that waits for a reader outside of it would wait for ever.
 */
export async function platformRows(deps: Deps): Promise<PlatformRow[]> {
  const now = deps.clock.now().getTime()
  const { platform } = deps.memory
  if (platform.read && Math.abs(now - platform.read.at) < fresh_ms) return platform.read.rows
  const { times_forgotten } = platform
  const found = await deps.db
    .selectFrom('terminal_config')
    .select(['section', 'value', 'updated_at', 'updated_by'])
    .where('account_kid', 'is', null)
    .execute()
  const rows = found.map((row) => ({
    ...row,
    ltscope: ltscopes.platform,
    terminal_group_kid: null,
    terminal_kid: null,
  }))
  // What was read before a change is not kept after it.
  if (platform.times_forgotten === times_forgotten) platform.read = { at: now, rows }
  return rows
}

export function forgetPlatformRows({ memory: { platform } }: Deps): void {
  delete platform.read
  platform.times_forgotten++
}
