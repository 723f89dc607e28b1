import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@mdm/contract'
import type { Site } from './console-site.ts'

const { paging } = contract.terminal.calls

/** The seconds that a transaction of the server was open for, at most. */
export async function longestTransaction({ client }: Site, isOver: () => boolean): Promise<number> {
  let most = 0
  while (!isOver()) {
    const { rows } = await client.query<{ seconds: number | null }>(
      `SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float8 AS seconds FROM pg_stat_activity
       WHERE application_name = 'mdm' AND state <> 'idle'`,
    )
    most = Math.max(most, rows[0]?.seconds ?? 0)
    await delay(20)
  }
  return most
}

/** Pages of the device list, one after another: how long each took, in ms. */
export async function listed({ call }: Site, most: number, isOver = () => false): Promise<number[]> {
  const times: number[] = []
  while (times.length < most && !isOver()) {
    const begun = performance.now()
    await call(paging, { page: 1 + (times.length % 20) })
    times.push(performance.now() - begun)
    await delay(10)
  }
  return times
}

export const p95 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? NaN
