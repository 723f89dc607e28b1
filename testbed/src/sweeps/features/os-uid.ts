import { contract, uidKids } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { addParts } from '../shared/information.ts'
import type { Stage } from '../stage.ts'

const calls = contract.opsUid.calls

/** UIDs of operating systems. They are the provider's alone: any kid does. */
export const osUid: Feature = {
  inputs: (t) => {
    const kids = Object.fromEntries(uidKids.map((name) => [name, t.log_kid])) as Record<UidKid, string>
    const draft = { type: 'standard', ...kids, reserve_code: '01', display_name: 'Sweep' }
    return {
      'ops/uid/paging': {},
      'ops/uid/get': { kid: t.log_kid },
      'ops/uid/exists': { code: 'NM11602S1E0ENGEN0001' },
      'ops/uid/list_part': { part: 'screen' },
      'ops/uid/explain': { uid: 'NM11602S1E0ENGEN0001' },
      'ops/uid/insert': draft,
      'ops/uid/update': { kid: t.log_kid, ...draft },
      'ops/uid/delete': { kid: t.log_kid },
    }
  },
  refusals,
  not_found: ['uid_part_unknown'],
}

async function refusals(s: Stage): Promise<Refusals> {
  const { operator } = s
  const parts = await s.once('parts of a UID', () => addParts(operator, 0))
  await s.once('a standard UID', () =>
    operator.opsUid.insert({ type: 'standard', ...parts, reserve_code: '00', display_name: 'Standard' }),
  )
  const draft = (reserve_code: string, more: object = {}) => ({
    type: 'standard' as const,
    ...parts,
    reserve_code,
    display_name: s.unique('UID'),
    ...more,
  })
  const based = (base_uid_kid: string) => ({ type: 'custom' as const, base_uid_kid, base_os_version: 'm102_9.00.1' })
  const used = await operator.opsUid.insert(draft('A0'))
  await operator.opsUid.insert({ ...draft('A1'), ...based(used.kid) })
  const free = await operator.opsUid.insert(draft('A2'))
  const wrong = {
    duplicate_uid: () => draft('00'),
    duplicate_name: () => draft('A3', { display_name: 'STANDARD' }),
    uid_part_unknown: () => draft('A4', { screen_kid: unknownKid }),
    uid_base_wrong: () => draft('A5', based(newKid())),
  }
  return {
    ...refusalsOf(calls.insert, operator, wrong),
    ...refusalsOf(calls.update, operator, {
      ...Object.fromEntries(Object.entries(wrong).map(([name, make]) => [name, () => ({ ...make(), kid: free.kid })])),
      uid_in_use: () => ({ ...draft('A6'), kid: used.kid }),
    }),
    ...refusalsOf(calls.delete, operator, { uid_in_use: () => ({ kid: used.kid }) }),
  }
}
