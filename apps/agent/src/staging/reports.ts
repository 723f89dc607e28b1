import { randomId } from '#platform'
import * as z from 'zod'
import { StagingScan } from '@mdm/device-link'
import type { Staging } from '@mdm/device-link'
import type { DeviceEventOf } from '../body/body.ts'
import type { Store } from '../store.ts'
import type { StagingDevice } from './scan.ts'

export const reports_folder = 'staging-reports'
const reports_kept = 100

type Told = Pick<StagingScan, 'outcome' | 'module' | 'reason' | 'message'>

/** On disk until the agent that holds the connection takes it up: who scans is another process. */
export async function keepReport(
  { store, clock }: Pick<StagingDevice, 'store' | 'clock'>,
  { id, name, version }: Staging,
  by: StagingScan['by'],
  told: readonly Told[],
): Promise<void> {
  const now = clock.now()
  const at = now.toISOString()
  const names = (await store.list(reports_folder)).toSorted()
  for (const old of names.slice(0, Math.max(0, names.length - reports_kept + 1))) await store.remove(old)
  await store.write(
    `${reports_folder}/${now.getTime()}-${randomId()}`,
    told.map((one) => ({ type: 'staging', at, detail: { config: id, name, version, by, ...one } })),
  )
}

const Waiting = z.array(z.object({ type: z.literal('staging'), at: z.iso.datetime(), detail: StagingScan }))

/** Scans that nobody was told of yet. `forget` them once they are kept elsewhere. */
export async function scansToTell(store: Store): Promise<{ events: DeviceEventOf[]; forget: () => Promise<void> }> {
  const names = (await store.list(reports_folder)).toSorted()
  const events: DeviceEventOf[] = []
  for (const name of names) {
    const waiting = Waiting.safeParse(await store.read(name).catch(() => undefined)).data
    events.push(...(waiting ?? []))
  }
  return {
    events,
    async forget() {
      for (const name of names) await store.remove(name)
    },
  }
}
