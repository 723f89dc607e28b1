import { constants } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import { testDeps } from '../../../testing/deps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, addTerminal, refusalOf } from '../../../testing/devices.ts'
import { insertTransfer } from './transfers.ts'

let deps: TestDeps
beforeAll(async () => void (deps = await testDeps()))
afterAll(() => deps.close())

/** Begins them all at once, as `who` does it: what is refused, and how many are not. */
async function begin(account_kid: string, wanted: { terminal_kid: string; size?: number }[]) {
  const actor = testActor(deps, account_kid)
  const said = await Promise.all(
    wanted.map((each) => {
      const kind = each.size === undefined ? ('download' as const) : ('upload' as const)
      const begun = actor.scope
        .transaction()
        .execute((trx) => insertTransfer(actor, trx, { kind, path: '/a', name: 'a', ...each }))
      return refusalOf(begun)
    }),
  )
  const refused = said.filter((name) => typeof name === 'string')
  return { begun: said.length - refused.length, refused: new Set(refused) }
}

it('of many transfers that begin at once, no more do than may be of a device, of an account, and in the room there is', async () => {
  const account_kid = await addAccount(deps)
  const device = await addTerminal(deps, account_kid)
  const one = Array.from({ length: 15 }, () => ({ terminal_kid: device }))
  expect(await begin(account_kid, one)).toEqual({ begun: 10, refused: new Set(['too_many_requests']) })
  const others = await Promise.all(Array.from({ length: 12 }, () => addTerminal(deps, account_kid)))
  const many = others.flatMap((terminal_kid) => Array.from({ length: 8 }, () => ({ terminal_kid })))
  expect(await begin(account_kid, many)).toEqual({ begun: 90, refused: new Set(['too_many_requests']) })
  const neighbour = await addAccount(deps)
  const its = await addTerminal(deps, neighbour)
  const large = Array.from({ length: 8 }, () => ({ terminal_kid: its, size: constants.device_file_cache_bytes / 5 }))
  // No single file may be as large, whatever is free.
  expect(await begin(neighbour, large)).toEqual({ begun: 0, refused: new Set(['storage_exceeded']) })
  const tenths = large.map((each) => ({ ...each, size: constants.device_file_max_bytes }))
  await deps.db
    .updateTable('device_transfer')
    .set({ account_kid: neighbour, size: constants.device_file_max_bytes, state: 'completed' })
    .where('terminal_kid', '=', others[0]!)
    .execute()
  expect(await begin(neighbour, tenths)).toEqual({ begun: 2, refused: new Set(['storage_exceeded']) })
})
