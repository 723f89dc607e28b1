import type { PushWork } from '@mdm/contract'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { backgroundWork } from '../../lib/background.ts'
import { unseal } from '../../lib/sealed.ts'
import { groupBy } from '../../link/group-by.ts'
import { Refusal } from '../../refusal.ts'
import { pushFor } from '../push-task/service.ts'

const batch_size = 200
/** What could not be made for longer, because no server ran, is left out: the device may be back by then. */
const late_ms = 3_600_000

type Row = {
  kid: string
  account_kid: string
  terminal_kid: string
  fence_kid: string
  at: Date
  name: string
  alarm_seconds: number | null
  is_locking: boolean
  password_sealed: string | null
  updated_by_kid: string
  updated_by: string
}

/** Makes the pushes of fences that devices left which cannot obey one by themselves: one push for all of a moment. */
export const wakeFenceActions = backgroundWork('fence actions', async (deps) => (await act(deps)) === batch_size)

/** Taken before it is done: a killed server leaves a lock out rather than locking a device that has come back since. */
async function act(deps: Deps): Promise<number> {
  const { rows } = await sql<Row>`
    DELETE FROM fence_action a USING electronic_fence f
    WHERE f.kid = a.fence_kid AND a.kid IN (SELECT kid FROM fence_action ORDER BY at LIMIT ${batch_size} FOR UPDATE SKIP LOCKED)
    RETURNING a.kid, a.account_kid, a.terminal_kid, a.fence_kid, a.at, f.name, f.alarm_seconds, f.is_locking, f.password_sealed,
      f.updated_by_kid, f.updated_by
  `.execute(deps.db)
  const earliest = deps.clock.now().getTime() - late_ms
  const due = rows.filter(({ at }) => at.getTime() >= earliest)
  for (const devices of groupBy(due, ({ fence_kid }) => fence_kid).values()) {
    const [fence] = devices as [Row]
    const kids = [...new Set(devices.map(({ terminal_kid }) => terminal_kid))]
    for (const work of await worksOf(deps, fence)) await push(deps, fence, work, kids)
  }
  return rows.length
}

async function worksOf(deps: Deps, { alarm_seconds, is_locking, password_sealed }: Row): Promise<PushWork[]> {
  const works: PushWork[] = []
  if (is_locking && password_sealed !== null)
    works.push({ type: 'lock', payload: { password: await unseal(deps, password_sealed) } })
  if (alarm_seconds !== null) works.push({ type: 'find', payload: { seconds: alarm_seconds } })
  return works
}

async function push(deps: Deps, fence: Row, work: PushWork, kids: string[]): Promise<void> {
  const { account_kid, updated_by_kid: user_kid, updated_by: name } = fence
  try {
    // Whoever is not reached by then may be back long since.
    const deadline_at = new Date(deps.clock.now().getTime() + late_ms).toISOString()
    await pushFor(deps, { account_kid, user_kid, name, reach: null }, work, kids, fence.name, { deadline_at })
  } catch (error) {
    const refusal = error instanceof Refusal ? error.refusal : undefined
    deps.log.warn({ err: error, refusal, fence_kid: fence.fence_kid, type: work.type }, 'a fence could not be enforced')
  }
}
