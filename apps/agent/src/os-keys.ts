import { isSigned } from '#platform'
import * as z from 'zod'
import { OsKeyChange, OsKeys, OsManifest } from '@mdm/device-link'
import type { OsUpdate } from '@mdm/device-link'
import { TaskFailure } from './body/body.ts'
import { fetchJson } from './bulk.ts'
import type { Bulk } from './bulk.ts'
import type { Store } from './store.ts'

const Ring = z.object({ keys: z.array(z.string()) })
const Reply = z.object({ data: OsKeys })

/** Keys of publishers of OS versions that this device believes. */
export type OsKeyRing = {
  /**
   * The manifest, once it is known who signed it. Throws TaskFailure: os_unsigned, os_key_unknown, os_manifest_bad, and
   * download_failed where the first keys cannot be had.
   */
  verified(update: OsUpdate, signal: AbortSignal): Promise<OsManifest>
  /** That a text was signed by a key that is believed; in its words where it was not. */
  assertSigned(signed: Signed, signal: AbortSignal): Promise<void>
}
type Signed = Pick<OsUpdate, 'manifest' | 'signature' | 'key' | 'key_changes'>

/**
 * The first keys are those that the server has when the device first needs one; it keeps them and never asks again. After
 * that a key is believed when a believed one says so.
 */
export function openOsKeys({ store, bulk }: { store: Store; bulk: Bulk }): OsKeyRing {
  async function held(signal: AbortSignal): Promise<string[]> {
    const known = Ring.safeParse(await store.read('os_keys')).data
    if (known) return known.keys
    const { data } = await fetchJson(bulk, '/device/os-keys', (json) => Reply.parse(json), signal)
    await store.write('os_keys', data)
    return data.keys
  }

  async function assertSigned({ manifest, signature, key, key_changes }: Signed, signal: AbortSignal): Promise<void> {
    const before = await held(signal)
    const keys = believedAfter(before, key_changes)
    if (!keys.includes(key))
      throw new TaskFailure('os_key_unknown', 'It is signed by a key that this device does not believe')
    if (!isSigned(key, manifest, signature))
      throw new TaskFailure('os_unsigned', 'It is not signed, or was changed after it was signed')
    if (keys.join() !== before.join()) await store.write('os_keys', { keys })
  }

  return {
    assertSigned,
    async verified(update, signal) {
      await assertSigned(update, signal)
      const { data } = OsManifest.safeParse(jsonOf(update.manifest))
      if (!data) throw new TaskFailure('os_manifest_bad', 'What is signed is no description of an OS version')
      return data
    },
  }
}

/** Which keys are believed once these changes are known. What no believed key says changes nothing. */
export function believedAfter(keys: readonly string[], changes: OsUpdate['key_changes']): string[] {
  const believed = new Set(keys)
  for (const { statement, signature } of changes) {
    const change = OsKeyChange.safeParse(jsonOf(statement)).data
    if (!change || !believed.has(change.old_key) || !isSigned(change.old_key, statement, signature)) continue
    believed.add(change.new_key)
    if (change.is_old_revoked) believed.delete(change.old_key)
  }
  return [...believed]
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
