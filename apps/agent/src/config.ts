import * as z from 'zod'
import { DownConfig } from '@mdm/device-link'
import type { Store } from './store.ts'

const Stored = z.object({ version: z.number().int() })

/** Keeps the newest effective configuration. An older one that arrives late changes nothing. */
export async function keepConfig(store: Store, json: unknown): Promise<void> {
  const config = DownConfig.safeParse(json).data
  const held = await storedConfigVersion(store)
  if (config && (held === undefined || config.version > held)) await store.write('config', config)
}
export const storedConfigVersion = async (store: Store): Promise<number | undefined> =>
  Stored.safeParse(await store.read('config')).data?.version
