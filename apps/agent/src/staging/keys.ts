import { httpRequest } from '#platform'
import * as z from 'zod'
import { StagingKeys } from '@mdm/device-link'
import { bulkRequest } from '../bulk.ts'
import type { Credentials } from '../enrol.ts'
import type { Store } from '../store.ts'

const document = 'staging-keys'
const Reply = z.object({ result: z.literal(1), data: StagingKeys })
const Held = StagingKeys.extend({ kid: z.string() })

/** What this registration of the device was told last; that of an earlier one may be of another account. */
export async function heldKeys(store: Store, kid: string): Promise<StagingKeys | undefined> {
  const held = Held.safeParse(await store.read(document)).data
  return held?.kid === kid ? held : undefined
}

/**
 * Asks the server for the account's staging keys and keeps them: a device scans where it has no network yet.
 * Throws when they cannot be had.
 */
export async function fetchKeys(store: Store, credentials: Credentials, signal: AbortSignal): Promise<StagingKeys> {
  const { url, headers } = bulkRequest(credentials, '/device/staging-keys')
  const response = await httpRequest(url, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  })
  if (!response.ok) throw new Error(`staging keys: HTTP ${response.status}`)
  const { data } = Reply.parse(await response.json())
  await store.write(document, { ...data, kid: credentials.kid })
  return data
}
