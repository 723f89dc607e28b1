import { isKid } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { digest, sameBytes } from '../lib/ids.ts'
import { refuse } from '../refusal.ts'

export type DeviceIdentity = { terminal_kid: string; account_kid: string }
type Known = { account_kid: string; secret_hash: Buffer | null; quarantined_until: Date | null }
export type KnownDevices = {
  known: Map<string, { row: Promise<Known | undefined>; until: number }>
  wanted: Map<string, { resolve: (row: Known | undefined) => void; reject: (error: unknown) => void }>
}

/** Long enough for the many range requests of one download, short enough that a cancelled device is soon a stranger. */
const remembered_ms = 3_000
const most_known = 20_000
const nobody = digest('')

/**
 * Whose secret this is, or undefined: unknown device, wrong secret, cancelled or quarantined. Costs one SHA-256; look-ups
 * that arrive together share one query, so that a storm of reconnects is no storm of queries.
 */
export async function authenticateDevice(deps: Deps, kid: string, secret: string): Promise<DeviceIdentity | undefined> {
  const row = await knownBy(deps, kid, secret)
  return row && !isQuarantined(deps, row) ? { terminal_kid: kid, account_kid: row.account_kid } : undefined
}

/** The device that an HTTP request is of: `Authorization: Bearer {kid}:{secret}`. @throws `unauthorized` */
export async function deviceOf(deps: Deps, authorization: string | undefined): Promise<DeviceIdentity> {
  const { kid, secret } = bearerOf(authorization)
  return (kid && secret ? await authenticateDevice(deps, kid, secret) : undefined) ?? refuse('unauthorized')
}

/** What such a header says, true or not. */
export function bearerOf(authorization: string | undefined): { kid?: string; secret?: string } {
  const [, kid, secret] = /^Bearer +([^:\s]+):(\S+)$/i.exec(authorization ?? '') ?? []
  return kid && secret ? { kid, secret } : {}
}

/** Until when the device whose secret this is may not connect; told to nobody else. */
export async function quarantineOf(deps: Deps, kid: string, secret: string): Promise<Date | undefined> {
  const row = await knownBy(deps, kid, secret)
  return row && isQuarantined(deps, row) ? row.quarantined_until! : undefined
}

/** Whether nothing is taken from a device, whoever has let it in: nobody knows it, its secret is withdrawn, or it is quarantined. */
export async function isShutOut(deps: Deps, kid: string): Promise<boolean> {
  const row = await lookUp(deps, kid)
  return !row || row.secret_hash === null || isQuarantined(deps, row)
}

const isQuarantined = (deps: Deps, { quarantined_until }: Known): boolean =>
  quarantined_until !== null && quarantined_until > deps.clock.now()

async function knownBy(deps: Deps, kid: string, secret: string): Promise<Known | undefined> {
  if (!isKid(kid) || typeof secret !== 'string' || secret.length > 256) return undefined
  const given = digest(secret)
  const matches = (row: Known | undefined) => sameBytes(given, row?.secret_hash ?? nobody) && Boolean(row?.secret_hash)
  let row = await lookUp(deps, kid)
  if (!matches(row)) {
    // What is remembered may be older than a new enrolment.
    forgetDevice(deps, kid)
    row = await lookUp(deps, kid)
  }
  return matches(row) ? row : undefined
}

/** After a device was cancelled, given a new secret or quarantined. */
export function forgetDevice(deps: Deps, kid: string): void {
  deps.memory.devices.known.delete(kid)
}

function lookUp(deps: Deps, kid: string): Promise<Known | undefined> {
  const { known, wanted } = deps.memory.devices
  const now = deps.clock.elapsed()
  const cached = known.get(kid)
  if (cached && cached.until > now) return cached.row
  forgetOld(known, now)
  const row = new Promise<Known | undefined>((resolve, reject) => {
    const others = wanted.get(kid)
    wanted.set(kid, {
      resolve: (found) => (others?.resolve(found), resolve(found)),
      reject: (error) => (others?.reject(error), reject(error)),
    })
    if (wanted.size === 1 && !others) setImmediate(() => void readWanted(deps))
  })
  known.set(kid, { row, until: now + remembered_ms })
  row.catch(() => known.delete(kid))
  return row
}

/** All are remembered equally long, so the oldest come first. */
function forgetOld(known: KnownDevices['known'], now: number): void {
  for (const [kid, { until }] of known) {
    if (until > now && known.size < most_known) return
    known.delete(kid)
  }
}

async function readWanted(deps: Deps): Promise<void> {
  const { devices } = deps.memory
  const batch = devices.wanted
  devices.wanted = new Map()
  try {
    const rows = await deps.db
      .selectFrom('terminal')
      .select(['kid', 'account_kid', 'secret_hash', 'quarantined_until'])
      .where('kid', '=', sql<string>`any(${[...batch.keys()]}::uuid[])`)
      .execute()
    const byKid = new Map(rows.map((row) => [row.kid, row]))
    for (const [kid, { resolve }] of batch) resolve(byKid.get(kid))
  } catch (error) {
    for (const { reject } of batch.values()) reject(error)
  }
}
