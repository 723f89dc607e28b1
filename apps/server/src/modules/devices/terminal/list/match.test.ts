import { contract } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testApi } from '../../../../testing/calls.ts'
import type { TestApi } from '../../../../testing/calls.ts'
import { newKid } from '../../../../lib/ids.ts'
import { addTerminal, miscounted } from '../../../../testing/devices.ts'

const { batch_cancel, count, move_group_batch, paging, update_fields } = contract.terminal.calls
const groups = contract.terminalDynamicGroup.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  expect(await miscounted(o.deps)).toEqual([])
  await o.close()
})
const models = { M1: 1_203, M2: 40, M3: 2 }
beforeEach(async () => {
  for (const table of ['terminal', 'terminal_dynamic_group'] as const) await o.deps.db.deleteFrom(table).execute()
  await o.deps.db.updateTable('account').set({ terminal_max: 5_000 }).where('kid', '=', o.acme.kid).execute()
  const rows = Object.entries(models).flatMap(([model, n]) =>
    Array.from({ length: n }, () => ({ kid: newKid(), model })),
  )
  const account_kid = o.acme.kid
  const never = {
    imei: null,
    resolution: null,
    host: null,
    qrcode_kid: null,
    terminal_group_kid: null,
    secret_hash: null,
    first_connected_at: null,
    quarantined_until: null,
  }
  await o.deps.db
    .insertInto('terminal')
    .values(
      rows.map(({ kid, model }) => ({
        ...never,
        kid,
        model,
        account_kid,
        sn: kid,
        claim_hash: Buffer.alloc(1),
        registered_at: o.deps.clock.now(),
      })),
    )
    .execute()
  await o.deps.db
    .insertInto('terminal_state')
    .values(rows.map(({ kid }) => ({ terminal_kid: kid, account_kid })))
    .execute()
  await addTerminal(o.deps, o.globex.kid, { model: 'M1' })
  await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
})

const total = async (input: object, who = o.acme_root) => (await o.call(paging, input, who)).data.total

describe('every device that matches', () => {
  it('is counted, moved and tagged, beyond a thousand, and no other', async () => {
    const match = { model: 'M1' }
    expect((await o.call(count, { match }, o.acme_root)).data).toEqual({ count: models.M1 })
    const group = await o.call(contract.terminalGroup.calls.insert, { name: newKid() }, o.acme_root)
    const terminal_group_kid = group.data.kid
    const moved = await o.call(move_group_batch, { match, terminal_group_kid }, o.acme_root)
    expect(moved.data).toEqual({ moved: models.M1 })
    expect(await total({ terminal_group_kid })).toBe(models.M1)
    expect(await total({ terminal_group_kid, model: 'M2' })).toBe(0)
    const tagged = await o.call(update_fields, { match: { terminal_group_kid }, tags: { add: ['x'] } }, o.acme_root)
    expect(tagged.data).toEqual({ updated: models.M1 })
    expect(await total({ tag: 'x' })).toBe(models.M1)
    expect(await total({ tag: 'x' }, o.globex_root)).toBe(0)
    const log = await o.deps.db
      .selectFrom('operation_log')
      .select('tracks')
      .where('action_code', '=', 'move_group_batch')
      .execute()
    expect(log.at(-1)!.tracks).toMatchObject([{ table: 'account', change: expect.stringContaining('1203 devices') }])
  })

  it('takes no tag at all when one of them has no room', async () => {
    const [full] = (await o.call(paging, { model: 'M1', page_size: 1 }, o.acme_root)).data.items
    const many = Array.from({ length: 20 }, (_, n) => `t${n}`)
    await o.call(update_fields, { kid: full!.kid, tags: { add: many } }, o.acme_root)
    const reply = await o.call(update_fields, { match: { model: 'M1' }, tags: { add: ['y'] } }, o.acme_root)
    expect(reply.result).toBe(42065)
    expect(await total({ tag: 'y' })).toBe(0)
  })

  it('is cancelled when as many match as were seen, and DELETE and the password were typed', async () => {
    const ask = (input: object) => o.call(batch_cancel, { confirm: 'DELETE', ...input }, o.acme_root)
    const match = { model: 'M1' }
    expect((await ask({ match })).result).toBe(10000)
    expect((await ask({ match, expected_count: models.M1, confirm: 'delete' })).result).toBe(42014)
    const changed = await ask({ match, expected_count: models.M1 + 1 })
    expect(changed).toMatchObject({ result: 42067, status: 409 })
    expect(changed.message).toContain(String(models.M1))
    expect(await total({ model: 'M1' })).toBe(models.M1)
    const unconfirmed = await o.person(3, o.acme.kid, `unconfirmed-${newKid()}`, ['deviceList*'])
    const few = { match: { model: 'M3' }, expected_count: models.M3, confirm: 'DELETE' }
    expect((await o.call(batch_cancel, few, unconfirmed)).result).toBe(41021)
    expect((await ask({ match, expected_count: models.M1 })).data).toEqual({ canceled: models.M1 })
    expect(await total({})).toBe(models.M2 + models.M3)
    expect(await total({}, o.globex_root)).toBe(1)
    expect(o.deps.kicked).toHaveLength(models.M1)
  })

  it('is within the groups of a limited user', async () => {
    const { data } = await o.call(contract.terminalGroup.calls.insert, { name: newKid() }, o.acme_root)
    const mine = (await o.call(paging, { model: 'M3' }, o.acme_root)).data.items.map(({ kid }) => kid)
    await o.call(move_group_batch, { terminal_kids: mine, terminal_group_kid: data.kid }, o.acme_root)
    const limited = await o.person(3, o.acme.kid, `limited-${newKid()}`, ['deviceList*'])
    await o.deps.db
      .insertInto('terminal_group_user_manged')
      .values({ account_kid: o.acme.kid, user_kid: limited.kid, terminal_group_kid: data.kid })
      .execute()
    await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
    expect((await o.call(count, { match: {} }, limited)).data).toEqual({ count: 2 })
    expect((await o.call(update_fields, { match: {}, tags: { add: ['z'] } }, limited)).data).toEqual({ updated: 2 })
    const input = { match: {}, expected_count: 2, confirm: 'DELETE' }
    expect((await o.call(batch_cancel, input, limited)).data).toEqual({ canceled: 2 })
    expect(await total({})).toBe(models.M1 + models.M2)
  })
})

describe('a dynamic group', () => {
  const where = { all: [{ field: 'model' as const, op: 'is_one_of' as const, value: ['M2', 'M3'] }] }
  const add = (name: string, who = o.acme_root) => o.call(groups.insert, { name, where }, who)

  it('is a filter under a name: listed with its count, chosen, changed, deleted', async () => {
    const { kid } = (await add('Old models')).data
    expect((await add('OLD models')).result).toBe(44001)
    const listed = await o.call(groups.list, { with_counts: true }, o.acme_person)
    expect(listed.data).toEqual([{ kid, name: 'Old models', where, count: 42, count_is_exact: true }])
    expect(await total({ terminal_dynamic_group_kid: kid })).toBe(42)
    expect(await total({ terminal_dynamic_group_kid: kid, model: 'M2' })).toBe(40)
    expect(await total({ terminal_dynamic_group_kid: kid }, o.globex_root)).toBe(0)
    const narrowed = { any: [{ field: 'model' as const, op: 'is_one_of' as const, value: ['M3'] }] }
    await o.call(groups.update, { kid, name: 'Older', where: narrowed }, o.acme_root)
    expect(await total({ terminal_dynamic_group_kid: kid })).toBe(2)
    expect((await o.call(groups.delete, { kid }, o.globex_root)).status).toBe(404)
    expect((await o.call(groups.delete, { kid }, o.acme_root)).result).toBe(1)
    expect((await o.call(groups.delete, { kid }, o.acme_root)).status).toBe(404)
    expect(await total({ terminal_dynamic_group_kid: kid })).toBe(0)
  })

  it('is made with the permission of groups, fifty of an account at most', async () => {
    expect((await add('x', o.acme_person)).status).toBe(403)
    for (let n = 0; n < 50; n += 1) expect((await add(`Group ${n}`)).result).toBe(1)
    expect((await add('One more')).result).toBe(42068)
  })
})
