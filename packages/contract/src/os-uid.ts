import { codeFormats, informationLists, informationNames } from './os-information.ts'
import type { InformationName } from './os-information.ts'

/** Two digits or letters that tell apart what the lists do not: 01, A1, FF. */
export const reserveCodePattern = /^[A-Za-z0-9]{2}$/

/** What stands where in a UID: the code of a row of each list, then the reserve code. */
export type UidPart = InformationName | 'reserve_code'
export const uidParts: readonly { part: UidPart; length: number }[] = [
  ...Object.values(informationLists).map(({ name, format }) => ({ part: name, length: codeFormats[format].length })),
  { part: 'reserve_code', length: 2 },
]
export const uid_length = uidParts.reduce((sum, { length }) => sum + length, 0)

/** The column and field that names the row of a list. */
export type UidKid = `${InformationName}_kid`
export const uidKids = informationNames.map((name) => `${name}_kid` as const)
export const kidOf = (name: InformationName): UidKid => `${name}_kid`

/** Codes by part, put together in their order; what is not chosen yet is left out. */
export const composeUid = (codes: Partial<Record<UidPart, string>>): string =>
  uidParts.map(({ part }) => codes[part] ?? '').join('')

/** Where each part of a UID stands. Undefined when it is not as long as a UID or has other characters. */
export function splitUid(uid: string): { part: UidPart; code: string }[] | undefined {
  const trimmed = uid.trim()
  if (trimmed.length !== uid_length || !/^[A-Za-z0-9]*$/.test(trimmed)) return undefined
  let from = 0
  return uidParts.map(({ part, length }) => ({ part, code: trimmed.slice(from, (from += length)) }))
}
