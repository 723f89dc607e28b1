import * as z from 'zod'
import { collectCode, stagingLimits, unpackEnvelope } from '@mdm/device-link'
import type { HeldCodes, Staging, StagingItem, StagingKeys, StagingScan } from '@mdm/device-link'
import type { Body } from '../body/body.ts'
import type { Clock } from '../clock.ts'
import type { Credentials } from '../enrol.ts'
import type { Store } from '../store.ts'
import { fetchKeys, heldKeys } from './keys.ts'
import { leadsToServer, sectionsOf } from './modules.ts'
import { assertInTime, openStaging, readStaging, StagingRefused } from './open.ts'
import { keepReport } from './reports.ts'

const codes_document = 'staging-codes'

const Held = z.record(
  z.string(),
  z.object({ of: z.number().int().min(1).max(stagingLimits.codes), parts: z.record(z.string(), z.string()) }),
)

/** Puts what was scanned to what is on disk already. `envelope` once a sequence is whole. @throws StagingFault */
export async function keepCode(store: Store, text: string): Promise<ReturnType<typeof collectCode>> {
  const held: HeldCodes = Held.safeParse(await store.read(codes_document)).data ?? {}
  const collected = collectCode(held, text)
  await store.write(codes_document, collected.held)
  return collected
}

export type StagingDevice = {
  store: Store
  body: Pick<Body, 'configure'>
  clock: Clock
  signal: AbortSignal
  log: (line: string) => void
  /** Undefined where the device is registered nowhere. */
  credentials: Credentials | undefined
  /** Registers the device at this server by the token of a QR code. Throws when that cannot be done. */
  enrol: (server: string, token: string) => Promise<Credentials>
}

/**
 * Does what an envelope says, if it is for this device, and keeps what became of it until the server is told.
 * @throws StagingRefused, StagingFault, and what `enrol` throws
 */
export async function takeEnvelope(device: StagingDevice, bytes: Uint8Array, by: 'code' | 'file'): Promise<Taken> {
  const said = readStaging(unpackEnvelope(bytes))
  const is_link = device.credentials === undefined && said.enrol !== undefined
  try {
    if (is_link) return await takeLink(device, bytes, said, said.enrol!)
    if (!device.credentials)
      throw new StagingRefused('key_unknown', 'This device is registered nowhere, and this code registers none', said)
    const { keys, now } = await keysFor(device, device.credentials, bytes)
    const staging = openStaging(bytes, keys)
    assertInTime(staging, now)
    return await finish(device, staging, by, await applyAll(device, staging, staging.content))
  } catch (error) {
    if (error instanceof StagingRefused) {
      const { code, message } = error
      await keepReport(device, said, is_link ? 'link' : by, [{ outcome: 'refused', reason: code, message }])
    }
    throw error
  }
}

export type Taken = { name: string; version: string; items: StagingItem[] }

/**
 * A device that holds no key has nothing to check the code by: it applies only what leads to the server (`first`), registers
 * there, and obeys the rest once the keys of that account say that it is theirs.
 */
async function takeLink(device: StagingDevice, bytes: Uint8Array, said: Staging, enrol: NonNullable<Staging['enrol']>) {
  const [now, issued_at] = [device.clock.now(), new Date(said.issued_at)]
  // The clock of a new device may never have been set; the server's is asked below.
  assertInTime(said, now < issued_at ? issued_at : now)
  const first = Object.fromEntries(
    Object.entries(said.content).filter(([module]) => enrol.first.includes(module) && leadsToServer(module)),
  )
  const before = await applyAll(device, said, first)
  const credentials = await device.enrol(enrol.server, enrol.token)
  const keys = await fetchKeys(device.store, credentials, device.signal)
  const staging = openStaging(bytes, keys)
  assertInTime(staging, new Date(keys.time))
  const rest = Object.fromEntries(Object.entries(staging.content).filter(([module]) => !Object.hasOwn(first, module)))
  return finish(device, staging, 'link', [...before, ...(await applyAll(device, staging, rest))])
}

/** The keys on disk will do where they have the one of this code; the server is asked where they have not. */
async function keysFor(device: StagingDevice, credentials: Credentials, bytes: Uint8Array) {
  const held = await heldKeys(device.store, credentials.kid)
  const now = device.clock.now()
  if (held && isOpenable(bytes, held)) return { keys: held, now }
  try {
    const keys = await fetchKeys(device.store, credentials, device.signal)
    return { keys, now: new Date(keys.time) }
  } catch (error) {
    device.log((error as Error).message)
    if (held) return { keys: held, now }
    const said = readStaging(unpackEnvelope(bytes))
    throw new StagingRefused(
      'key_unknown',
      'This device holds no staging key yet: connect it once, then scan again',
      said,
    )
  }
}
function isOpenable(bytes: Uint8Array, keys: StagingKeys): boolean {
  try {
    openStaging(bytes, keys)
    return true
  } catch {
    return false
  }
}

/** Modules that go to the device together share what became of them. */
async function applyAll({ body, signal }: StagingDevice, staging: Staging, content: Staging['content']) {
  const { name, type, version } = staging
  const items: StagingItem[] = []
  for (const { section, value, modules } of sectionsOf({ name, type, version, content })) {
    signal.throwIfAborted()
    const outcome = await body.configure(section, value, signal).catch((error: Error) => {
      signal.throwIfAborted()
      return { outcome: 'failed' as const, reason: 'command_failed', message: error.message.slice(0, 300) }
    })
    items.push(...modules.map((module) => ({ module, ...outcome })))
  }
  return items
}

async function finish(device: StagingDevice, staging: Staging, by: StagingScan['by'], items: StagingItem[]) {
  await keepReport(device, staging, by, items)
  return { name: staging.name, version: staging.version, items }
}
