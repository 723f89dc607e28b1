import { contract, information_limits, informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { InformationKey } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { addParts, codeOf, draftOf, groupOf, sheetOf } from '../shared/information.ts'
import { sheetRefusals } from '../shared/sheets.ts'
import type { Stage } from '../stage.ts'

/** The lists that UIDs are made of. They are the provider's alone: any kid does. */
export const osInformation: Feature = {
  inputs: (t) =>
    Object.fromEntries(
      informationKeys.flatMap((key) => {
        const path = `ops/${informationLists[key].name}`
        return Object.entries({
          paging: {},
          get: { kid: t.log_kid },
          exists: { code: codeOf(key, 3) },
          insert: draftOf(key, 3),
          update: { kid: t.log_kid, ...draftOf(key, 4) },
          delete: { kid: t.log_kid },
          template: {},
          preview_import: { upload_kid: t.upload_kid },
          import: { rows: [draftOf(key, 5)] },
        }).map(([call, input]) => [`${path}/${call}`, input])
      }),
    ),
  refusals: async (s) => {
    const parts = await s.once('parts of a UID', () => addParts(s.operator, 0))
    await s.once('a standard UID', () =>
      s.operator.opsUid.insert({ type: 'standard', ...parts, reserve_code: '00', display_name: 'Standard' }),
    )
    return Object.assign(
      {},
      ...informationKeys.map((key) => refusalsOfList(s, key, parts[kidOf(informationLists[key].name)])),
    )
  },
}

function refusalsOfList(s: Stage, key: InformationKey, used_kid: string): Refusals {
  const { operator } = s
  const group = groupOf(key)
  const { calls } = contract[group]
  const made = async (n: number, name?: string) => (await operator[group].insert(draftOf(key, n, name))).kid
  return {
    ...refusalsOf(calls.insert, operator, {
      duplicate_code: async () => {
        await made(11)
        return draftOf(key, 11, 'Second')
      },
      duplicate_name: async () => {
        await made(12, 'Held name')
        return draftOf(key, 13, 'held NAME')
      },
    }),
    ...refusalsOf(calls.update, operator, {
      duplicate_code: async () => {
        await made(14)
        return { kid: await made(15), ...draftOf(key, 14, 'Fifth') }
      },
      duplicate_name: async () => {
        await made(16)
        return { kid: await made(17), ...draftOf(key, 17, 'SWEEP 16') }
      },
      information_in_use: () => ({ kid: used_kid, ...draftOf(key, 18) }),
    }),
    ...refusalsOf(calls.delete, operator, { information_in_use: () => ({ kid: used_kid }) }),
    ...refusalsOf(calls.preview_import, operator, sheetsOf(s, key)),
  }
}

function sheetsOf(s: Stage, key: InformationKey) {
  const of = {
    ...sheetOf(key),
    rows_max: information_limits.import_rows,
    bytes_max: information_limits.sheet_bytes,
  }
  const { sheet_of_another_week: _, ...sheets } = sheetRefusals(s, s.operator, {}, of)
  return sheets
}
