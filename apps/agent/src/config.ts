import * as z from 'zod'
import { DownConfig } from '@mdm/device-link'
import type { CollectionPolicy, Down } from '@mdm/device-link'
import type { Store } from './store.ts'

/** By which a device goes that was never told otherwise. */
export const defaultPolicy: CollectionPolicy = {
  is_battery_on: true,
  battery_percent: 5,
  is_wifi_on: true,
  wifi_dbm: 10,
  is_mobile_on: true,
  mobile_dbm: 5,
  is_timed_on: true,
  every_hours: 2,
  is_location_on: true,
  location_metres: 30,
  location_hours: 24,
  is_usage_on: true,
}

const Version = z.object({ version: z.number().int() })

/** The newest configuration that came; it holds over restarts. An older one that arrives late changes nothing. */
export async function openConfig(store: Store) {
  const stored: unknown = await store.read('config')
  let held: Down['config'] | undefined = DownConfig.safeParse(stored).data
  // What a newer agent wrote is told by its version, so that the server sends what this one understands.
  let version = Version.safeParse(stored).data?.version
  return {
    get version() {
      return version
    },
    get collection(): CollectionPolicy {
      return held?.config.collection ?? defaultPolicy
    },
    get fence() {
      return held?.config.fence
    },
    /** Throws when it makes no sense: then the one before goes on. */
    async take(json: unknown): Promise<void> {
      const next = DownConfig.parse(json)
      if (version !== undefined && next.version <= version) return
      await store.write('config', next)
      held = next
      version = next.version
    },
  }
}
export type DeviceConfig = Awaited<ReturnType<typeof openConfig>>
