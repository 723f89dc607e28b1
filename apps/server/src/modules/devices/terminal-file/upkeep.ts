import type { Deps } from '../../../deps.ts'
import { dropOldReports } from './last-report.ts'
import { end, endSent, failed } from './transfers.ts'
import type { Row } from './transfers.ts'

/** Nobody carries a transfer any more that was not touched for so long: its server has ended. */
const abandoned_ms = 300_000
const chunk = 200

/** Ends transfers that lost their server, and removes bytes and reports that are kept no longer. For a timer. */
export async function keepTransfers(deps: Deps): Promise<void> {
  await endAbandoned(deps)
  await purgeTransfers(deps)
  await dropOldReports(deps)
}

const ago = (deps: Deps, ms: number): Date => new Date(deps.clock.now().getTime() - ms)

async function endAbandoned(deps: Deps): Promise<void> {
  const rows: Row[] = await deps.db
    .selectFrom('device_transfer')
    .selectAll()
    .where('state', '=', 'running')
    .where('touched_at', '<', ago(deps, abandoned_ms))
    .limit(chunk)
    .execute()
  const why = { code: 'interrupted', message: '' }
  for (const row of rows) await (row.kind === 'upload' ? end(deps, row, failed(why)) : endSent(deps, row, why))
}

async function purgeTransfers(deps: Deps): Promise<void> {
  for (;;) {
    const rows = await deps.db
      .deleteFrom('device_transfer')
      .where('kid', 'in', (eb) =>
        eb
          .selectFrom('device_transfer')
          .select('kid')
          .where('expires_at', '<', deps.clock.now())
          .where('state', '<>', 'running')
          .limit(chunk),
      )
      .returning('object')
      .execute()
    for (const { object } of rows) if (object) await deps.objects.delete(object)
    if (rows.length < chunk) return
  }
}
