import { constants, contract } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testApi } from '../../../../testing/calls.ts'
import type { Answer, TestApi } from '../../../../testing/calls.ts'
import { newKid } from '../../../../lib/ids.ts'
import { enrol } from '../../../fleet/enrolment/index.ts'
import { addTerminal, announced, device, miscounted, refusalOf } from '../../../../testing/devices.ts'

const { batch_cancel, batch_scrap, manual_registered, paging } = contract.terminal.calls
const ops = contract.opsTerminal.calls

let o: TestApi
beforeAll(async () => {
  o = await testApi()
  await o.deps.db.updateTable('account').set({ terminal_max: 100_000 }).where('kid', '=', o.acme.kid).execute()
  await o.deps.db
    .updateTable('session')
    .set({ confirmed_at: new Date(o.deps.clock.now().getTime() + 8.64e7) })
    .execute()
})
/** Each test is an hour of its own. */
beforeEach(async () => void (await o.deps.db.deleteFrom('destruction').execute()))
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
const add = async (count: number, of = newKid().slice(-8).toUpperCase(), account_kid = o.acme.kid) => {
  const sns = Array.from({ length: count }, (_, n) => `${of}-${n}`)
  const kids: string[] = []
  for (const sn of sns) kids.push(await addTerminal(o.deps, account_kid, { sn, name: `Alias ${sn}`, model: 'M9' }))
  return { sns, kids }
}
const scrap = (input: object, who = o.acme_root): Promise<Answer<typeof batch_scrap>> =>
  o.call(batch_scrap, { confirm: 'DELETE', ...input }, who)
const atOnce = (count: number) => ({ scrapped: count, schedule_version: null, due_at: null })
const scrapped = async (text: string) => (await o.call(ops.paging_scrapped, { text }, o.operator)).data.items

describe('scrapping', () => {
  it('retires the SN for good: it can neither announce itself nor be registered in any way', async () => {
    const it_is = device()
    const { registration_code } = await announced(o.deps, it_is)
    const { data } = await o.call(manual_registered, { sn: it_is.sn, registration_code }, o.acme_root)
    // Registered devices may announce themselves too, when they lost what they were told.
    await announced(o.deps, it_is)
    expect((await scrap({ terminalKids: [data.kid] })).data).toEqual(atOnce(1))
    expect(o.deps.kicked.map(({ terminal_kid }) => terminal_kid)).toContain(data.kid)
    expect(await refusalOf(announced(o.deps, it_is))).toBe('device_scrapped')
    expect(await refusalOf(enrol(o.deps, { sn: it_is.sn, claim: it_is.claim }))).toBe('device_unknown')
    for (const who of [o.acme_root, o.globex_root]) {
      const again = await o.call(manual_registered, { sn: it_is.sn, registration_code }, { ...who, lang: 'vi' })
      expect(again).toMatchObject({ status: 422, result: 42001, message: 'SN này đã bị loại bỏ và không thể đăng ký.' })
    }
    expect(await o.deps.db.selectFrom('announcement').select('sn').where('sn', '=', it_is.sn).execute()).toEqual([])
    expect((await o.call(paging, { text: it_is.sn }, o.acme_root)).data.total).toBe(0)
    expect(await miscounted(o.deps)).toEqual([])
  })

  it('and cancelling take devices by kid, by SN, or by both when they agree, and only those of the account', async () => {
    const { sns, kids } = await add(6)
    const theirs = await add(1, newKid().slice(-8).toUpperCase(), o.globex.kid)
    for (const call of [batch_cancel, batch_scrap]) {
      const ask = (input: object) => o.call(call, { confirm: 'DELETE', ...input }, o.acme_root)
      expect((await ask({ sns: [sns[0], theirs.sns[0]] })).result).toBe(42002)
      expect((await ask({ terminalKids: [kids[0], theirs.kids[0]] })).result).toBe(42002)
      expect((await ask({ terminalKids: [kids[0]], sns: [sns[1]] })).result).toBe(42002)
      expect((await ask({})).result).toBe(10000)
      expect((await ask({ sns: [] })).result).toBe(10000)
      expect((await ask({ sns: [sns[0]], match: {}, expected_count: 1 })).result).toBe(10000)
      expect((await ask({ sns: [sns[0]], confirm: 'delete' })).result).toBe(42014)
    }
    expect(
      (await o.call(batch_cancel, { confirm: 'DELETE', sns: [sns[0]!, sns[0]!, sns[1]!] }, o.acme_root)).data,
    ).toEqual({ canceled: 2 })
    expect((await scrap({ sns: [sns[2], sns[3]] })).data).toEqual(atOnce(2))
    expect((await scrap({ sns: [sns[5], sns[4]], terminalKids: [kids[4], kids[5]] })).data).toEqual(atOnce(2))
    expect((await scrapped(sns[0]!.slice(0, 8))).map(({ sn }) => sn).toSorted()).toEqual(sns.slice(2))
    expect((await o.call(paging, { text: theirs.sns[0]! }, o.globex_root)).data.total).toBe(1)
  })

  it('asks for the password when many are hit, whichever way they are named', async () => {
    const { sns, kids } = await add(constants.password_from_devices)
    const who = await o.person(3, o.acme.kid, `unconfirmed-${newKid()}`, ['deviceList*'])
    for (const call of [batch_cancel, batch_scrap])
      for (const named of [{ sns }, { terminalKids: kids }, { match: { text: sns[0]! }, expected_count: 1 }])
        expect((await o.call(call, { ...named, confirm: 'DELETE' }, who)).result).toBe(41021)
    expect((await scrap({ sns: sns.slice(1) }, who)).data).toEqual(atOnce(sns.length - 1))
  })

  it('of what matches is of as many as were seen, and stays within the groups of a limited user', async () => {
    const { sns, kids } = await add(3)
    const match = { text: sns[0]!.slice(0, 8) }
    expect((await scrap({ match, expected_count: 2 })).result).toBe(42067)
    const { kid } = (await o.call(contract.terminalGroup.calls.insert, { name: newKid() }, o.acme_root)).data
    const limited = await o.person(3, o.acme.kid, `limited-${newKid()}`, ['deviceList*'])
    await o.deps.db
      .insertInto('terminal_group_user_manged')
      .values({ account_kid: o.acme.kid, user_kid: limited.kid, terminal_group_kid: kid })
      .execute()
    for (const named of [{ sns: [sns[0]] }, { terminalKids: [kids[0]] }])
      expect((await scrap(named, limited)).result).toBe(42002)
    expect((await scrap({ match, expected_count: 3 })).data).toEqual(atOnce(3))
  })

  it('names every SN in the operation log', async () => {
    const { sns } = await add(4)
    await scrap({ match: { text: sns[0]!.slice(0, 8) }, expected_count: 4 })
    const log = await o.deps.db
      .selectFrom('operation_log')
      .select('tracks')
      .where('action_code', '=', 'batch_scrap')
      .orderBy('created_at', 'desc')
      .orderBy('kid', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    expect(log.tracks.map(({ change }) => change).toSorted()).toEqual(sns.map((sn) => `scrapped ${sn}`))
  })

  it('is undone by an operator, and the SN may come again', async () => {
    const { sns } = await add(3)
    await scrap({ sns })
    const [row] = await scrapped(sns[0]!)
    expect(row).toMatchObject({
      sn: sns[0],
      name: `Alias ${sns[0]}`,
      model: 'M9',
      account_name: 'Acme',
      scrapped_by: 'Name of acme',
    })
    const by = async (account_text: string) =>
      (await o.call(ops.paging_scrapped, { account_text, text: sns[0]! }, o.operator)).data.total
    expect([await by('acme'), await by('globex')]).toEqual([1, 0])
    const restore = (wanted: string[], who = o.operator) => o.call(ops.restore, { sns: wanted }, who)
    expect((await restore([sns[0]!], o.acme_root)).status).toBe(403)
    const mixed = await restore([sns[0]!, 'NEVER-WAS'])
    expect(mixed).toMatchObject({ result: 42016 })
    expect(mixed.message).toContain('NEVER-WAS')
    expect(await scrapped(sns[0]!)).toHaveLength(1)
    expect((await restore([sns[0]!, sns[1]!])).data).toEqual({ restored: 2 })
    expect((await restore([sns[0]!])).result).toBe(42016)
    expect((await scrapped(sns[0]!.slice(0, 8))).map(({ sn }) => sn)).toEqual([sns[2]])
    const again = device(sns[0])
    const { registration_code } = await announced(o.deps, again)
    expect((await o.call(manual_registered, { sn: again.sn, registration_code }, o.globex_root)).result).toBe(1)
  })

  it('pages by cursor', async () => {
    const { sns } = await add(7)
    await scrap({ sns })
    for (const sort of ['scrapped_at', 'sn'] as const) {
      const seen: string[] = []
      for (let after: string | null | undefined; after !== null;) {
        const input = { text: sns[0]!.slice(0, 8), sort, page_size: 3, ...(after ? { after } : {}) }
        const { data } = await o.call(ops.paging_scrapped, input, o.operator)
        seen.push(...data.items.map(({ sn }) => sn))
        after = data.next
      }
      expect(seen.toSorted()).toEqual(sns)
    }
  })

  it('is limited within an hour, also when several ask at once; all of them or none', async () => {
    const max = constants.scrapped_per_hour
    const lately = o.deps.clock.now()
    await o.deps.db.deleteFrom('scrapped_sn').where('account_kid', '=', o.acme.kid).execute()
    const before = Array.from({ length: max - 5 }, (_, n) => ({
      sn: `BEFORE-${n}`,
      account_kid: o.acme.kid,
      scrapped_at: lately,
    }))
    await o.deps.db.insertInto('scrapped_sn').values(before).execute()
    const { sns } = await add(8)
    const refused = await scrap({ sns: sns.slice(0, 6) })
    expect(refused).toMatchObject({ status: 429, result: 42015 })
    expect(refused.message).toContain('5')
    expect((await o.call(paging, { text: sns[0]!.slice(0, 8) }, o.acme_root)).data.total).toBe(8)
    const several = await Promise.all(
      [sns.slice(0, 3), sns.slice(3, 6), sns.slice(6)].map((some) => scrap({ sns: some })),
    )
    expect(several.filter(({ result }) => result === 1).length).toBeGreaterThan(0)
    expect(several.filter(({ result }) => result === 42015).length).toBeGreaterThan(0)
    const all = await o.deps.db.selectFrom('scrapped_sn').select('sn').where('account_kid', '=', o.acme.kid).execute()
    expect(all.length).toBeLessThanOrEqual(max)
    const theirs = await add(1, newKid().slice(-8).toUpperCase(), o.globex.kid)
    expect((await scrap({ sns: theirs.sns }, o.globex_root)).result).toBe(1)
    await o.deps.clock.advance(3_600_001)
    const { sns: later } = await add(2)
    expect((await scrap({ sns: later })).result).toBe(1)
  })
})
