import { nextOsCustom } from '@mdm/contract'
import type { Deps } from '../../../../deps.ts'
import type { note } from '../locked-custom.ts'
import type { BuildRow, Db } from '../locked-custom.ts'

/** A build that this server has taken: all that is written of it is written while it is this server's. */
export type Job = {
  deps: Deps
  build: BuildRow
  folder: string
  /** Aborted when the build was canceled, or another server has taken it. */
  signal: AbortSignal
  /** Writes columns of the build. @throws ClaimLost once it is not this server's any more */
  set(
    set: Partial<Pick<BuildRow, 'step' | 'progress' | 'held_bytes' | 'size' | 'md5' | 'sha256'>>,
    trx?: Db,
  ): Promise<void>
  /** How far the step is, at most once a second. */
  progress(done: number, total: number): void
  line(event: Parameters<typeof note>[3]['event'], details?: Record<string, string | number>): Promise<void>
}

export async function moveCustom(trx: Db, kid: string, event: 'succeed' | 'fail'): Promise<void> {
  const row = await trx.selectFrom('os_custom').select('state').where('kid', '=', kid).forUpdate().executeTakeFirst()
  const state = row && nextOsCustom(row.state, event)
  if (state && state !== row.state) await trx.updateTable('os_custom').set({ state }).where('kid', '=', kid).execute()
}
