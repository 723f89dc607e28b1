import { isMask, isMeant, mapSecrets, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import type { ConfigField, ConfigFields } from '@mdm/contract/config/sections.ts'
import { Refusal } from '../../../../refusal.ts'
import { seal, unseal } from '../../../../lib/sealed.ts'
import type { Sealing } from '../../../../lib/sealed.ts'
import { isSealed } from '../../../../lib/sealed-values.ts'

type Record_ = Record<string, unknown>

/**
 * A value as it is stored: secrets sealed. The mask keeps what `prior`, the value that held until now, has at the same place:
 * in the row of the same name, and only while the secret still goes where it went. Refused as `secret_again` otherwise.
 */
export async function sealSecrets(
  deps: Sealing,
  section: ConfigSection,
  given: unknown,
  prior: unknown,
): Promise<unknown> {
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
