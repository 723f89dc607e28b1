import { codeFormats, columnsOf, informationColumns, informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { InformationKey, InformationName, UidKid } from '@mdm/contract'
import type { Caller } from '../../caller.ts'

/** As code calls the group of a list: opsClientCode. */
export const groupOf = (key: InformationKey) =>
  `ops${key.charAt(0).toUpperCase()}${key.slice(1)}` as `ops${Capitalize<InformationKey>}`

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** The nth code of a list: in its format, and no other's. */
export function codeOf(key: InformationKey, n: number): string {
  const { length } = codeFormats[informationLists[key].format]
  return (letters[Math.floor(n / 26)]! + letters[n % 26]!).slice(-length).padStart(length, 'A')
}

/** A row of a list that may be added: all that is required, and nothing else. */
export function draftOf(key: InformationKey, n: number, name = `Sweep ${n}`) {
  const { details } = informationLists[key]
  return { code: codeOf(key, n), name, ...Object.fromEntries(details.map((detail) => [detail, 'X'])) }
}

/** What a sheet of the list looks like. */
export function sheetOf(key: InformationKey) {
  const columns = columnsOf(informationLists[key])
  return {
    header: columns.map((column) => informationColumns[column].en).join(','),
    row: columns.map((column) => (column === 'code' ? codeOf(key, 0) : 'X')).join(','),
  }
}

/** One row of every list, for UIDs: the kids by the names of a UID's fields. */
export async function addParts(who: Caller, n: number): Promise<Record<UidKid, string>> {
  const kids = {} as Record<UidKid, string>
  for (const key of informationKeys)
    kids[kidOf(informationLists[key].name as InformationName)] = (
      await who[groupOf(key)].insert(draftOf(key, n, `Part ${n}`))
    ).kid
  return kids
}
