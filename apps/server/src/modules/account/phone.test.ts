import { afterAll, beforeAll, expect, it } from 'vitest'
import { phonesToDigits } from '../../db/schema/migrations/0018_texts.ts'
import { testApi } from '../../testing/calls.ts'
import type { TestApi } from '../../testing/calls.ts'

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(() => o.close())

it('phones of an older release become their digits, and nobody loses one', async () => {
  const phones = ['+84 90 111', '+8490111', '(024) 3825-1234', '024 38251234', '12345']
  const kids: string[] = []
  for (const [n, phone] of phones.entries()) {
    const { kid } = await o.person(3, o.acme.kid, `phone-${n}`, ['deviceList'])
    await o.deps.db.updateTable('user_account').set({ phone }).where('kid', '=', kid).execute()
    kids.push(kid)
  }
  await phonesToDigits(o.deps.db as never)
  const rows = await o.deps.db.selectFrom('user_account').select(['kid', 'phone']).where('kid', 'in', kids).execute()
  expect(kids.map((kid) => rows.find((row) => row.kid === kid)!.phone)).toEqual([
    '+84 90 111',
    '+8490111',
    '02438251234',
    '024 38251234',
    '12345',
  ])
})
