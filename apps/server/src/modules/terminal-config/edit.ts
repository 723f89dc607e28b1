import { configSectionKeys, isSection, ltscopes, sectionsOfType } from '@mdm/contract'
import { masked } from '@mdm/contract/config/sections.ts'
import type { ConfigSection, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { refuse } from '../../refusal.ts'
import type { Actor } from '../../actor.ts'
import { readCertificates } from './certificates.ts'
import { effectiveOf } from './effective.ts'
import { resolvePlace } from './places.ts'
import type { NamedLevel, Place } from './places.ts'
import { countDevices, devicesBelow, isEqual } from './reach.ts'
import type { WritePlace } from './reach.ts'
import { sealSecrets } from './secrets.ts'
import { settingsFor, writable } from './service.ts'
import type { Writer } from './service.ts'
import { announce, writeSections } from './write.ts'

type Calls = Contract['terminalConfig']['calls']
type Given = Partial<Record<ConfigSection, unknown>>

export const writePlace = (account_kid: string, { ltscope, terminal_group_kid, terminal_kid }: Place): WritePlace => ({
  account_kid,
  ltscope,
  terminal_group_kid: terminal_group_kid ?? null,
  terminal_kid: terminal_kid ?? null,
})

/** The given sections as they are stored at the last of these levels: a mask keeps the secret that holds there now. */
async function stored(actor: Actor, levels: readonly NamedLevel[], terminal_kid: string | null, given: Given) {
  const settings = await settingsFor(actor, terminal_kid)
  const values: Given = {}
  for (const section of configSectionKeys) {
    if (given[section] === undefined) continue
    const prior = effectiveOf(settings, section, levels).value
    const read = section === 'certificates' ? await readCertificates(actor.deps, given[section], prior) : given[section]
    values[section] = await sealSecrets(actor.deps, section, read, prior)
  }
  return values
}

/** Answers with the sections that changed by it. */
export async function save(actor: Writer, input: In<Calls['save']>): Promise<ConfigSection[]> {
  const levels = await writable(actor, input)
  const values = await stored(actor, levels, input.terminal_kid ?? null, input)
  const { deps, user, account_kid } = actor
  const { name, description } = input
  const place = writePlace(account_kid, input)
  const changed = await deps.db
    .transaction()
    .execute((trx) => writeSections(trx, { deps, user, place, act: 'save', values, name, description }))
  announce(deps, place)
  return changed
}

export async function reset(actor: Writer, input: In<Calls['reset']>): Promise<ConfigSection[]> {
  await writable(actor, input)
  const { deps, user, account_kid } = actor
  const place = writePlace(account_kid, input)
  const values = Object.fromEntries((input.sections ?? configSectionKeys).map((section) => [section, null]))
  const changed = await deps.db
    .transaction()
    .execute((trx) => writeSections(trx, { deps, user, place, act: 'reset', values }))
  if (changed.length > 0) announce(deps, place)
  return changed
}

/** Copies what is set at one place to others, secrets included. All of the places or none: one that is not there refuses. */
export async function copy(actor: Writer, input: In<Calls['copy']>) {
  const { deps, user, account_kid } = actor
  const level = (await resolvePlace(actor, input)).at(-1)!
  const targets: Place[] = [
    ...[...new Set(input.terminal_group_kids)].map((kid) => ({ ltscope: ltscopes.group, terminal_group_kid: kid })),
    ...[...new Set(input.terminal_kids)].map((kid) => ({ ltscope: ltscopes.terminal, terminal_kid: kid })),
  ]
  for (const target of targets) await writable(actor, target)
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  const found = (input.sections ?? configSectionKeys).flatMap((section) => {
    const own = settings(section, level)
    return own ? [[section, own.value] as const] : []
  })
  if (found.length === 0) return refuse('config_to_push_missing')
  const values = Object.fromEntries(found)
  await deps.db.transaction().execute(async (trx) => {
    for (const target of targets)
      await writeSections(trx, { deps, user, place: writePlace(account_kid, target), act: 'copy', values })
  })
  for (const target of targets) announce(deps, writePlace(account_kid, target))
  return { sections: found.map(([section]) => section), places: targets.length }
}

/** Sets all sections of the kind to what they were in the version that the change made. */
export async function revert(actor: Writer, kid: string) {
  const { deps, user, scope, account_kid } = actor
  const change = await scope.selectFrom('configuration_change').selectAll().where('kid', '=', kid).executeTakeFirst()
  if (!change) return refuse('not_found')
  const place: Place = {
    ltscope: change.ltscope,
    terminal_group_kid: change.terminal_group_kid ?? undefined,
    terminal_kid: change.terminal_kid ?? undefined,
  }
  await writable(actor, place)
  const after = change.after as Record<string, unknown>
  const values = Object.fromEntries(sectionsOfType(change.type).map((section) => [section, after[section] ?? null]))
  const at = writePlace(account_kid, place)
  const changed = await deps.db
    .transaction()
    .execute((trx) => writeSections(trx, { deps, user, place: at, act: 'revert', values }))
  if (changed.length > 0) announce(deps, at)
  return { changed, version: change.version, place }
}

const shown_devices = 50
/** What saving or resetting would do: the sections that would be something else, and the devices that follow this level. */
export async function affected(actor: Actor, input: In<Calls['affected']>) {
  const { deps, account_kid, reach } = actor
  const levels = await resolvePlace(actor, input)
  const settings = await settingsFor(actor, input.terminal_kid ?? null)
  const resets = (input.resets ?? []).filter(isSection)
  const given = configSectionKeys.filter((key) => input[key] !== undefined)
  const above = levels.slice(0, -1)
  const sections = [...new Set([...given, ...resets])].filter((section) => {
    const now = effectiveOf(settings, section, levels).value
    const then = given.includes(section) ? input[section] : effectiveOf(settings, section, above).value
    // A secret that is typed anew cannot be compared here: it counts as a change.
    return !isEqual(now === null ? null : masked(section, now), then)
  })
  const place = writePlace(account_kid, input)
  const below = sections.length === 0 ? null : await devicesBelow(deps.db, place, sections)
  if (below === null) return { sections, devices: 0, items: [] }
  const mine = reach ? sql<boolean>`${below} AND t.terminal_group_kid = ANY(${[...reach]}::uuid[])` : below
  const { rows: items } = await sql<{ kid: string; sn: string; name: string; is_online: boolean }>`
    SELECT t.kid, t.sn, t.name, COALESCE(s.is_online, false) AS is_online
    FROM terminal t LEFT JOIN terminal_state s ON s.terminal_kid = t.kid
    WHERE ${mine} ORDER BY t.sn LIMIT ${shown_devices}`.execute(deps.db)
  return { sections, devices: await countDevices(deps.db, mine), items }
}
