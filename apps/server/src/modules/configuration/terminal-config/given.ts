import { configSectionKeys } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import { pushed_istage_characters } from '@mdm/contract/config/istage.ts'
import { sectionOf, isMask, isMeant, mapSecrets } from '@mdm/contract/config/sections.ts'
import type { ConfigField, ConfigFields } from '@mdm/contract/config/sections.ts'
import { X509Certificate } from 'node:crypto'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { inMemory } from '../../../lib/apk/source.ts'
import { factsOf } from '../../../lib/pkcs12.ts'
import type { CertificateFacts } from '../../../lib/pkcs12.ts'
import { isSealed } from '../../../lib/sealed-values.ts'
import { unseal, seal } from '../../../lib/sealed.ts'
import type { Sealing } from '../../../lib/sealed.ts'
import { Refusal } from '../../../refusal.ts'
import { inWorker, requesterOf } from '../../../workers/service.ts'
import type { Requester, WithRequest } from '../../../workers/service.ts'
import { completedConfig } from '../istage/index.ts'
import { effectiveOf } from './levels.ts'
import type { Level, SettingRow, Settings } from './levels.ts'
import { readUpdateWindow } from './named-window.ts'

type Given = Partial<Record<ConfigSection, unknown>>
/** The given sections as they are stored at the last of these levels; a mask keeps the secret that is in force there. */
export async function sealGiven(
  actor: Actor & WithRequest,
  settings: Settings<SettingRow>,
  levels: readonly Level[],
  given: Given,
): Promise<Given> {
  const values: Given = {}
  for (const section of configSectionKeys) {
    if (given[section] === undefined) continue
    const prior = effectiveOf(settings, section, levels).value
    const read = await readGiven(actor, section, given[section], prior)
    values[section] = await sealSecrets(actor.deps, section, read, prior)
  }
  return values
}

/** A given section, completed with what the server reads itself: the facts of certificates, the content of an iStage configuration. */
async function readGiven(
  actor: Actor & WithRequest,
  section: ConfigSection,
  given: unknown,
  prior: unknown,
): Promise<unknown> {
  if (section === 'certificates') return readCertificates(actor.deps, given, prior, requesterOf(actor))
  if (section === 'istage') return readIstage(actor, (given as { config_kid: string }).config_kid)
  if (section === 'update_window') return readUpdateWindow(actor.scope, given as { mode: string; window_kid: string })
  return given
}

/** The content is stored too, so that devices keep what was saved when the configuration changes or is deleted. */
async function readIstage(actor: Actor, config_kid: string): Promise<unknown> {
  const found = await completedConfig(actor, config_kid)
  if (!found) throw new Refusal('bad_input', {}, { 'istage.config_kid': { name: 'istage_unknown' } })
  const { name, type, version, content } = found
  const private_content = JSON.stringify(content)
  const max = pushed_istage_characters
  if (private_content.length > max)
    throw new Refusal('bad_input', {}, { 'istage.config_kid': { name: 'too_long', details: { max } } })
  return { config_kid, name, type, version, private_content }
}

type Record_ = Record<string, unknown>

/**
 * A value as it is stored: secrets sealed. The mask keeps what `prior`, the value that held until now, has at the same place:
 * in the row of the same name, and only while the secret still goes where it went. Refused as `secret_again` otherwise.
 */
async function sealSecrets(deps: Sealing, section: ConfigSection, given: unknown, prior: unknown): Promise<unknown> {
  const { fields } = sectionOf(section)
  const found: { path: string; of: ConfigField; value: string; beside: Record_; before: Record_ | undefined }[] = []
  const names = priorsOf(fields, given, prior)
  mapSecrets(fields, given, (value, path, of, beside) => {
    found.push({ path, of, value: value as string, beside, before: names.get(beside) })
    return value
  })
  const stored = new Map<string, unknown>()
  for (const { path, of, value, beside, before } of found) {
    const name = path.slice(path.lastIndexOf('.') + 1)
    const kept = before?.[name]
    if (value === '' || !isMeant(of, beside)) stored.set(path, '')
    else if (isMask(value)) {
      const is_same_place = (of.bound_to ?? []).every((field) => before?.[field] === beside[field])
      if (!isSealed(kept) || !is_same_place)
        throw new Refusal('bad_input', {}, { [`${section}.${path}`]: { name: 'secret_again', details: {} } })
      stored.set(path, kept)
    } else {
      // The same again stays as it is stored, or every save would be a change.
      const is_same = isSealed(kept) && (await unseal(deps, kept.sealed)) === value
      stored.set(path, is_same ? kept : { sealed: await seal(deps, value) })
    }
  }
  return mapSecrets(fields, given, (_, path) => stored.get(path) ?? '')
}

/** For each object of the value that may hold secrets, the one that stood there before: rows are known by their first field. */
function priorsOf(fields: ConfigFields, given: unknown, prior: unknown): Map<unknown, Record_> {
  const before = (typeof prior === 'object' && prior !== null ? prior : {}) as Record_
  const found = new Map<unknown, Record_>([[given, before]])
  for (const [name, { kind, fields: inner }] of Object.entries(fields)) {
    const rows = (given as Record_)[name]
    const old = before[name]
    if (kind !== 'rows' || !inner || !Array.isArray(rows) || !Array.isArray(old)) continue
    const key = Object.keys(inner)[0]!
    for (const row of rows as Record_[]) {
      const match = (old as Record_[]).find((each) => each[key] === row[key])
      if (match) found.set(row, match)
    }
  }
  return found
}

type Row = Record<string, unknown> & {
  name: string
  format: 'pem' | 'pkcs12'
  private_file: string
  password: string
}
type Stored = Record<string, unknown> & { name: string; password?: unknown }
type Packed = { at: number; bytes: Buffer; password: string }

/**
 * The section with what each file says of itself. A file that is kept keeps what was read of it. Refused as `certificate` at
 * the files that cannot be read.
 */
export async function readCertificates(deps: Deps, given: unknown, prior: unknown, by: Requester): Promise<unknown> {
  const { certificates } = given as { certificates: Row[] }
  const before = ((prior as { certificates?: Stored[] } | null)?.certificates ?? []) as Stored[]
  const read = new Map<number, CertificateFacts | null>()
  const packed: Packed[] = []
  for (const [at, row] of certificates.entries()) {
    const old = before.find(({ name }) => name === row.name)
    if (isMask(row.private_file)) {
      read.set(at, { subject: String(old?.['subject'] ?? ''), expires_at: String(old?.['expires_at'] ?? '') })
      continue
    }
    const bytes = Buffer.from(row.private_file, 'base64')
    const kept = old?.password as { sealed?: string } | undefined
    const password = isMask(row.password) && kept?.sealed ? await unseal(deps, kept.sealed) : row.password
    if (row.format === 'pem') read.set(at, ofPem(bytes))
    else packed.push({ at, bytes, password })
  }
  const opened = await ofPkcs12(deps, packed, by)
  for (const [n, { at }] of packed.entries()) read.set(at, opened[n] ?? null)
  const unread = certificates.flatMap((_, at) => (read.get(at) ? [] : [at]))
  if (unread.length > 0) {
    const fault = { name: 'certificate' as const, details: {} }
    throw new Refusal(
      'bad_input',
      {},
      Object.fromEntries(unread.map((at) => [`certificates.certificates.${at}.private_file`, fault])),
    )
  }
  return { certificates: certificates.map((row, at) => ({ ...row, ...read.get(at) })) }
}

function ofPem(bytes: Buffer): CertificateFacts | null {
  try {
    return factsOf(new X509Certificate(bytes))
  } catch {
    return null
  }
}

/** In a process of its own, which is ended when the files make it work too long; then none of them counts as read. */
async function ofPkcs12(deps: Deps, packed: readonly Packed[], by: Requester) {
  if (packed.length === 0) return []
  const source = inMemory(Buffer.concat(packed.map((one) => one.bytes)))
  const files = packed.map((one) => ({ size: one.bytes.length, password: one.password }))
  try {
    return await inWorker(deps, 'pkcs12', { files }, source, by)
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'bad_input') return []
    throw error
  }
}
