import * as z from 'zod'
import type { ConfigSectionResult } from '@mdm/device-link'
import { Credentials, serverUrl, standing } from './enrol.ts'
import type { Store } from './store.ts'

const Move = z.object({ from: Credentials, until: z.string() })
/** How long the new server has to take the device in before it goes back. */
export const move_ms = 300_000
type Outcome = Omit<ConfigSectionResult, 'section'>

const failed = (message: string): Outcome => ({
  outcome: 'failed',
  reason: 'test_failed',
  message: message.slice(0, 300),
})

/**
 * Asks the server at `url` whether it knows this device by its secret. Only then the credentials are changed to it, and those of
 * the old one kept beside them until the device is online there. `first` is the server that the agent was started with.
 */
export async function moveTo(
  store: Store,
  credentials: Credentials,
  url: string,
  { now, signal, first }: { now: Date; signal: AbortSignal; first: string },
): Promise<{ outcome: Outcome; moved?: Credentials }> {
  let server: string
  try {
    server = serverUrl(url).href
  } catch (error) {
    return { outcome: failed((error as Error).message) }
  }
  if (server === credentials.server) return { outcome: { outcome: 'applied' } }
  const said = await standing({ ...credentials, server }, signal)
  if (!said) return { outcome: failed(`${server} does not answer`) }
  if (said.state !== 'registered') return { outcome: failed(`${server} does not know this device`) }
  const moved = { ...credentials, server, mqtt: said.mqtt ?? [...credentials.mqtt] }
  await store.write('server-move', { from: credentials, until: new Date(now.getTime() + move_ms).toISOString() })
  await store.write('moved', { from: first, to: server })
  await store.write('credentials', moved)
  return { outcome: { outcome: 'applied' }, moved }
}

/** The move that is not proven yet, if there is one. */
export const openMove = async (store: Store) => Move.safeParse(await store.read('server-move')).data
/** The device is online where it moved to. */
export const provenMove = (store: Store): Promise<void> => store.remove('server-move')

/** Back to where it came from; the section is told as failed there. */
export async function moveBack(store: Store, from: Credentials): Promise<Credentials> {
  await store.write('credentials', from)
  await store.remove('server-move')
  const config = (await store.read('config')) as { results?: ConfigSectionResult[] } | undefined
  const results = config?.results?.map((result) =>
    result.section === 'server_address'
      ? { section: 'server_address', ...failed('The new server did not take the device in') }
      : result,
  )
  if (config && results) await store.write('config', { ...config, results })
  return from
}
