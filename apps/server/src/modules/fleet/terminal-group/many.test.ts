import { sql } from 'kysely'
import { records } from '../../../db/records.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, addTerminal, openDeps } from '../../../testing/devices.ts'
import * as groups from './service.ts'

let deps: TestDeps
beforeAll(async () => {
  deps = await openDeps('embedded')
})
afterAll(() => deps?.close())

const regions = 10
const cities = 100
const shops = 4_890

/** Regions, ten cities in each, and shops spread over the cities. */
async function plant(account_kid: string) {
  const rows: { kid: string; parent_kid: string | null; name: string; depth: number }[] = []
  const add = (name: string, depth: number, parent_kid: string | null) => {
    const kid = newKid()
    rows.push({ kid, parent_kid, name, depth })
    return kid
  }
  const tops = Array.from({ length: regions }, (_, n) => add(`Region ${n}`, 1, null))
  const middle = Array.from({ length: cities }, (_, n) => add(`City ${n}`, 2, tops[n % regions]!))
  const leaves = Array.from({ length: shops }, (_, n) => add(`Shop ${n}`, 3, middle[n % cities]!))
  await sql`
    insert into terminal_group (kid, account_kid, parent_kid, name, depth)
    select r.kid, ${account_kid}::uuid, r.parent_kid, r.name, r.depth
    from ${records(rows).as('r(kid uuid, parent_kid uuid, name text, depth integer)')}
  `.execute(deps.db)
  return { tops, middle, leaves }
}

test('5,000 groups are read with one statement, their counts included', async () => {
  const account = await addAccount(deps)
  const { tops, middle, leaves } = await plant(account)
  const [top, city, shop] = [tops[3]!, middle[3]!, leaves[3]!]
  for (const terminal_group_kid of [top, city, shop, shop]) await addTerminal(deps, account, { terminal_group_kid })
  const actor = testActor(deps, account)
  let statements = 0
  const { pool } = deps.database
  const connect = pool.connect.bind(pool)
  pool.connect = (async () => {
    statements += 1
    return connect()
  }) as typeof pool.connect

  const all = await groups.list(actor, { parent_kid: 'ALL' })
  expect([all.length, statements]).toEqual([regions + cities + shops, 1])
  const counts = new Map(all.map((group) => [group.kid, [group.terminal_count, group.total_count]]))
  expect([top, city, shop].map((kid) => counts.get(kid))).toEqual([
    [1, 4],
    [1, 3],
    [2, 2],
  ])
  const at = new Map(all.map(({ kid }, n) => [kid, n]))
  expect(all.filter(({ kid, parent_kid }) => parent_kid !== null && at.get(parent_kid)! > at.get(kid)!)).toEqual([])

  statements = 0
  const tree = await groups.listWithChild(actor, 'ROOT')
  expect([tree.length, tree[3]!.children.length, statements]).toEqual([regions, cities / regions, 1])
  // A person who is limited to a city sees it at the top, with its shops only where they are named as well.
  const limited = await groups.list(testActor(deps, account, [city, shop]), { parent_kid: 'ALL' })
  expect(limited.map(({ kid, parent_kid, total_count }) => [kid, parent_kid, total_count])).toEqual([
    [city, null, 3],
    [shop, city, 2],
  ])
})
