import { unseal } from './sealed.ts'
import type { Sealing } from './sealed.ts'

/** A secret inside of JSON, as it is stored. */
type Sealed = { sealed: string }
export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && typeof (value as Sealed).sealed === 'string'

/** The same JSON with what is sealed opened. For the device alone. */
export async function unsealAll(deps: Sealing, value: unknown): Promise<unknown> {
  if (isSealed(value)) return unseal(deps, value.sealed)
  if (Array.isArray(value)) return Promise.all(value.map((one) => unsealAll(deps, one)))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([key, one]) => [key, await unsealAll(deps, one)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** Whether there is something in it that has to be opened first. */
export const holdsSecrets = (value: unknown): boolean => JSON.stringify(value ?? null).includes('{"sealed":')
