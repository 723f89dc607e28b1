import { contract, informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { Sent, UidKid } from '@mdm/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'

const { paging, get, exists, list_part, explain, insert, update, delete: remove } = contract.opsUid.calls
const screens = contract.opsScreen.calls
const codes = ['N', 'M1', '16', '02', 'S1', 'E0', 'EN', 'GEN00']

let o: TestApi
let parts: Record<UidKid, string>
beforeAll(async () => {
  o = await testApi()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
beforeEach(async () => {
  await o.deps.db.deleteFrom('os_uid').execute()
  await o.deps.db.deleteFrom('os_information').execute()
  parts = {} as Record<UidKid, string>
  for (const [at, key] of informationKeys.entries())
    parts[kidOf(informationLists[key].name)] = await add(key, codes[at]!)
})

async function add(key: (typeof informationKeys)[number], code: string): Promise<string> {
  const { details } = informationLists[key]
  const group = `ops${key.charAt(0).toUpperCase()}${key.slice(1)}` as 'opsScreen'
  const draft = { code, name: `${key} ${code}`, ...Object.fromEntries(details.map((detail) => [detail, 'X'])) }
  return (await o.call(contract[group].calls.insert, draft, o.operator)).data.kid
}
const draft = (more: Partial<Sent<typeof insert>> = {}): Sent<typeof insert> => ({
  type: 'standard',
  ...parts,
  reserve_code: '01',
  display_name: 'm102 English',
  ...more,
})
const create = (more: Partial<Sent<typeof insert>> = {}) => o.call(insert, draft(more), o.operator)

describe('a UID', () => {
  it('is put together from its parts in their order, with their meaning', async () => {
    const { data } = await create()
    expect(data).toMatchObject({
      code: 'NM11602S1E0ENGEN0001',
      type: 'standard',
      base_uid_kid: null,
      terminal_count: 0,
    })
    expect(data.parts.map(({ part, code }) => [part, code])).toEqual([
      ['solution', 'N'],
      ['hardware', 'M1'],
      ['rom_memory', '16'],
      ['ram_memory', '02'],
      ['screen', 'S1'],
      ['extended', 'E0'],
      ['language', 'EN'],
      ['client_code', 'GEN00'],
      ['reserve_code', '01'],
    ])
    expect(data.parts[4]!.name).toBe('screen S1')
    expect((await o.call(screens.get, { kid: parts.screen_kid }, o.operator)).data.uid_count).toBe(1)
  })

  it('and its display name are unique in any case, also when two people save at once', async () => {
    await create()
    expect((await create({ display_name: 'Other' })).result).toBe(44009)
    expect((await create({ reserve_code: '02', display_name: 'M102 english' })).result).toBe(44001)
    const both = await Promise.all([
      create({ reserve_code: 'a1', display_name: 'A' }),
      create({ reserve_code: 'A1', display_name: 'B' }),
    ])
    expect(both.map(({ result }) => result).toSorted()).toEqual([1, 44009])
    const isTaken = async (input: object) => (await o.call(exists, input, o.operator)).data.exists
    expect(await isTaken({ code: 'nm11602s1e0engen0001' })).toBe(true)
    expect(await isTaken({ code: 'NM11602S1E0ENGEN00FF' })).toBe(false)
    expect(await isTaken({})).toBe(false)
  })

  it('takes parts only from the list they are of', async () => {
    expect((await create({ screen_kid: parts.extended_kid })).result).toBe(44032)
    expect((await create({ screen_kid: newKid() })).result).toBe(44032)
    expect((await create({ reserve_code: '1' })).result).toBe(10000)
  })

  it('of a custom OS is built on a standard one, one of a standard OS on nothing', async () => {
    const { kid } = (await create()).data
    const custom = { type: 'custom' as const, base_uid_kid: kid, base_os_version: 'm102_9.00.123' }
    const next = (reserve_code: string, more: object) => create({ reserve_code, display_name: reserve_code, ...more })
    const made = (await next('C1', custom)).data
    expect(made).toMatchObject({ base_uid_code: 'NM11602S1E0ENGEN0001', base_os_version: 'm102_9.00.123' })
    const usesOf = async (of: string) => (await o.call(get, { kid: of }, o.operator)).data.use_count
    expect([await usesOf(kid), await usesOf(made.kid)]).toEqual([1, 0])
    expect((await next('C2', { ...custom, base_uid_kid: made.kid })).result).toBe(44033)
    expect((await next('C3', { type: 'custom' })).result).toBe(10000)
    expect((await next('C4', { ...custom, base_os_version: 'a b' })).result).toBe(10000)
    expect((await next('C5', { ...custom, type: 'standard' })).result).toBe(10000)
    expect((await o.call(update, { ...draft(custom), kid }, o.operator)).result).toBe(44034)
    expect((await o.call(remove, { kid }, o.operator)).result).toBe(44034)
    expect((await o.call(remove, { kid: made.kid }, o.operator)).result).toBe(1)
    expect((await o.call(remove, { kid }, o.operator)).result).toBe(1)
    expect((await o.call(screens.delete, { kid: parts.screen_kid }, o.operator)).result).toBe(1)
  })

  it('that a device of any account reports keeps its parts, in whatever case the device says it', async () => {
    const { kid } = (await create()).data
    const other = await add('screen', 'S2')
    expect((await o.call(update, { ...draft({ screen_kid: other }), kid }, o.operator)).data.code).toBe(
      'NM11602S2E0ENGEN0001',
    )
    await addTerminal(o.deps, o.acme_root.account_kid, { uid: 'nm11602s2e0engen0001' })
    expect((await o.call(update, { ...draft(), kid }, o.operator)).result).toBe(44034)
    expect((await o.call(remove, { kid }, o.operator)).result).toBe(44034)
    const renamed = { ...draft({ screen_kid: other, display_name: 'Renamed', remark: 'r' }), kid }
    expect((await o.call(update, renamed, o.operator)).data).toMatchObject({
      display_name: 'Renamed',
      terminal_count: 1,
    })
    await o.deps.db.deleteFrom('terminal').execute()
  })

  it('keeps what it is made of: neither code nor row of a part can go while it is there', async () => {
    const { kid } = (await create()).data
    const screen = { kid: parts.screen_kid, code: 'S1', name: 'Renamed', supplier: 'Y', bom_code: 'Z' }
    expect((await o.call(screens.update, screen, o.operator)).result).toBe(1)
    expect((await o.call(screens.update, { ...screen, code: 'S9' }, o.operator)).result).toBe(44031)
    expect((await o.call(screens.delete, { kid: parts.screen_kid }, o.operator)).result).toBe(44031)
    expect((await o.call(remove, { kid }, o.operator)).result).toBe(1)
    expect((await o.call(screens.update, { ...screen, code: 'S9' }, o.operator)).result).toBe(1)
  })

  it('is made of what its parts are then: the code of a part does not change in between', async () => {
    const screen = { kid: parts.screen_kid, name: 'S', supplier: 'Y', bom_code: 'Z' }
    const [made, changed] = await Promise.all([create(), o.call(screens.update, { ...screen, code: 'S9' }, o.operator)])
    const { code } = (await o.call(screens.get, { kid: parts.screen_kid }, o.operator)).data
    expect(made.data.code.slice(7, 9)).toBe(code)
    expect([1, 44031]).toContain(changed.result)
  })
})

describe('a UID that somebody pasted', () => {
  const explained = async (uid: string) => (await o.call(explain, { uid }, o.operator)).data

  it('is taken apart, whether or not there is such a one', async () => {
    const { kid } = (await create()).data
    const known = await explained(' nm11602s1e0engen0001 ')
    expect(known).toMatchObject({ is_whole: true, uid: { kid }, terminal_count: 0 })
    expect(known.parts.map(({ name }) => name)).toEqual([
      ...informationKeys.map((key, at) => `${key} ${codes[at]}`),
      null,
    ])
    // With the rows and codes of the lists, so that another one can be made from it.
    expect(known.parts.slice(0, -1).map(({ code, kid: row }) => [code, row])).toEqual(
      informationKeys.map((key, at) => [codes[at], parts[kidOf(informationLists[key].name)]]),
    )
    // As it is written, though it was pasted in small letters.
    await create({ reserve_code: 'QX', display_name: 'Another' })
    expect((await explained('nm11602s1e0engen00qx')).parts.at(-1)).toMatchObject({ part: 'reserve_code', code: 'QX' })
    const strange = await explained('NM1ZZ02S1E0ENGEN00FF')
    expect(strange).toMatchObject({ is_whole: true, uid: null })
    expect(strange.parts[2]).toEqual({ part: 'rom_memory', code: 'ZZ', name: null, kid: null })
    for (const uid of ['x', 'NM11602S1E0ENGEN000', 'NM11602S1E0ENGEN00-1', 'é'.repeat(20)])
      expect(await explained(uid)).toMatchObject({ is_whole: false, parts: [], uid: null })
  })
})

describe('the list', () => {
  it('is searched, and narrowed to a type and to what is made of a part', async () => {
    await create()
    const other = await add('screen', 'S2')
    const { kid } = (await create({ screen_kid: other, display_name: 'Wide' })).data
    const found = async (input: object) =>
      (await o.call(paging, input, o.operator)).data.items.map(({ display_name }) => display_name)
    expect(await found({})).toEqual(['m102 English', 'Wide'])
    expect(await found({ text: 's2e0' })).toEqual(['Wide'])
    expect(await found({ text: '%' })).toEqual([])
    expect(await found({ part_kid: other })).toEqual(['Wide'])
    expect(await found({ type: 'custom' })).toEqual([])
    expect(await found({ base_uid_kid: kid })).toEqual([])
    expect(await found({ sort: 'display_name', order: 'desc' })).toEqual(['Wide', 'm102 English'].toSorted().reverse())
  })

  it('of parts finds by code and name, and has the one that is chosen in any case', async () => {
    const far = await add('screen', 'ZZ')
    const rows = async (input: object) =>
      (await o.call(list_part, { part: 'screen', ...input }, o.operator)).data.map(({ code }) => code)
    expect(await rows({})).toEqual(['S1', 'ZZ'])
    expect(await rows({ text: 'screen s' })).toEqual(['S1'])
    expect(await rows({ text: 's1', kid: far })).toEqual(['ZZ', 'S1'])
    expect(await rows({ kid: parts.extended_kid })).toEqual(['S1', 'ZZ'])
  })

  it('is no business of customers', async () => {
    expect((await o.call(paging, {}, o.acme_root)).status).toBe(403)
    expect((await o.call(explain, { uid: 'x' }, o.acme_root)).status).toBe(403)
  })
})
