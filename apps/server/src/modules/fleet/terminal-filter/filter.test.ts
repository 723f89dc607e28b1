import { named_sns_max, TerminalFilter, whereFields, whereOperators } from '@mdm/contract'
import type { AgentKind, WhereCondition, WhereField, WhereGroup } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { insert as insertField } from '../custom-field/index.ts'
import { keepInstalled } from '../installed-app/index.ts'
import { insert as insertGroup } from '../terminal-group/index.ts'
import { paging } from '../../devices/terminal/index.ts'
import { count } from './index.ts'
import { addAccount, addTerminal, databases, openDeps } from '../../../testing/devices.ts'

const day_ms = 86_400_000

/** One of the devices as the test knows it: answers are compared with what these say. */
type Known = {
  kid: string
  sn: string
  name: string
  imei: string
  model: string
  os_version: string
  uid: string
  version_code: number | null
  group: string | null
  tags: string[]
  network: { type: string; is_metered?: boolean; is_roaming?: boolean } | null
  foreground_app: string | null
  /** The version of com.acme on it. */
  app: string | null
  fence_state: 'inside' | 'outside' | null
  is_online: boolean
  battery_level: number | null
  signal: number | null
  last_online_at: Date | null
  registered_at: Date
  fields: Record<string, string | number | boolean>
  agent_kind: AgentKind
  task_types: string[] | null
}

describe.each(databases)('filters on %s', (kind) => {
  let deps: TestDeps
  let account: string
  const devices: Known[] = []
  const groups: Record<string, string> = {}
  const fields: Record<string, string> = {}
  const now = () => deps.clock.now().getTime()

  beforeAll(async () => {
    deps = await openDeps(kind)
    account = await addAccount(deps)
    const owner = testActor(deps, account)
    groups['top'] = (await insertGroup(owner, { name: 'top', parent_kid: 'ROOT' })).kid
    groups['below'] = (await insertGroup(owner, { name: 'below', parent_kid: groups['top'] })).kid
    const field = async (
      name: string,
      of: 'text' | 'number' | 'date' | 'choice' | 'yes_no',
      choices: string[] = [],
    ) => {
      fields[name] = (await insertField(owner, { name, kind: of, choices })).kid
    }
    await field('place', 'text')
    await field('floor', 'number')
    await field('bought', 'date')
    await field('size', 'choice', ['S', 'M', 'L'])
    await field('leased', 'yes_no')
    for (let n = 0; n < 48; n += 1) devices.push(await add(n))
    const stranger = await addAccount(deps)
    await addTerminal(deps, stranger, { sn: 'SN-000-foreign', model: 'M1', tags: ['vip'] }, { is_online: true })
  })
  afterAll(() => deps?.close())

  async function add(n: number): Promise<Known> {
    const own: Known['fields'] = {}
    if (n % 2 === 0) own[fields['place']!] = ['Kho Hà Nội', 'depot', '100%'][n % 3]!
    if (n % 3 !== 0) own[fields['floor']!] = [-2, 0.5, 10][n % 3]!
    if (n % 4 === 1) own[fields['bought']!] = new Date(now() + ((n % 5) - 3) * 20 * day_ms).toISOString().slice(0, 10)
    if (n % 5 > 1) own[fields['size']!] = ['S', 'M', 'L'][n % 3]!
    if (n % 7 < 4) own[fields['leased']!] = n % 2 === 1
    const device = {
      sn: `SN-${String(n).padStart(3, '0')}`,
      name: ['', 'Till 1', 'till_2', 'Quầy 50%'][n % 4]!,
      imei: n % 3 === 0 ? '' : `3500000000000${10 + n}`,
      model: ['M1', 'M2', ''][n % 3]!,
      os_version: ['9', '10'][n % 2]!,
      uid: ['', 'NM11602S1E0ENGEN0001'][n % 2]!,
      version_code: n % 4 === 0 ? null : n,
      group: [null, groups['top']!, groups['below']!][n % 3]!,
      tags: [[], ['vip'], ['lab', 'vip'], ['a"b, c']][n % 4]!,
      network: [
        null,
        { type: 'wifi' },
        { type: 'mobile', is_metered: true, is_roaming: n % 2 === 0 },
        { type: 'wifi', is_metered: false },
      ][(n >> 1) % 4]!,
      foreground_app: [null, '', 'com.acme'][n % 3]!,
      app: [null, '1.9', '1.10', 'v2.0-beta'][n % 4]!,
      fence_state: ([null, 'inside', 'outside', null] as const)[n % 4]!,
      is_online: n % 3 === 0,
      battery_level: n % 5 === 0 ? null : [0, 20, 33.25, 100][n % 4]!,
      signal: n % 6 === 0 ? null : [-100, -70, -69.5, -61, -60, 0][n % 6]!,
      last_online_at: n % 8 === 0 ? null : new Date(now() - (n % 11) * 5 * day_ms),
      registered_at: new Date(now() - n * day_ms),
      fields: own,
      agent_kind: (['mdm', 'mdm', 'mdmesh'] as const)[n % 3]!,
      task_types: [null, ['message'], ['message', 'shutdown']][n % 3]!,
    }
    const { sn, name, model, os_version, uid, version_code, tags, registered_at } = device
    const { is_online, battery_level, last_online_at, agent_kind, task_types } = device
    const kid = await addTerminal(
      deps,
      account,
      {
        sn,
        name,
        model,
        os_version,
        uid,
        version_code,
        ver: version_code,
        tags,
        registered_at,
        terminal_group_kid: device.group,
        imei: device.imei || null,
        fields: JSON.stringify(own),
        agent_kind,
        task_types,
      },
      { is_online, battery_level, last_online_at },
    )
    if (device.app !== null)
      await keepInstalled(deps.db, [{ terminal_kid: kid, packages: [{ name: 'com.acme', version: device.app }] }])
    const { foreground_app, fence_state, signal, network } = device
    await deps.db
      .updateTable('terminal_state')
      .set({
        foreground_app,
        fence_state,
        signal,
        network: network && JSON.stringify(network),
        network_type: network?.type ?? null,
      })
      .where('terminal_kid', '=', kid)
      .execute()
    return { ...device, kid }
  }

  const searcher = (visible_groups?: string[]) => testActor(deps, account, visible_groups)
  /** SNs that the list answers, and how many it says there are. */
  async function listed(input: object, visible_groups?: string[]) {
    const filter = TerminalFilter.parse(input)
    const page = await paging(searcher(visible_groups), { page: 1, page_size: 200, ...filter })
    expect(await count(searcher(visible_groups), filter)).toBe(page.total)
    expect(page.items).toHaveLength(page.total)
    const by_battery = await paging(searcher(visible_groups), {
      page: 1,
      page_size: 200,
      sort: 'battery_level',
      ...filter,
    })
    const sns = (items: typeof page.items) => items.map(({ sn }) => sn).toSorted()
    expect(sns(by_battery.items)).toEqual(sns(page.items))
    return sns(page.items)
  }
  const meant = (is: (device: Known) => boolean) =>
    devices
      .filter(is)
      .map(({ sn }) => sn)
      .toSorted()
  const asked = (condition: object): WhereGroup => ({ all: [condition as WhereCondition] })

  const lower = (text: string) => text.toLowerCase()
  const ago = (days: number) => now() - days * day_ms
  const at = (days: number) => new Date(ago(days)).toISOString()
  const dayFrom = (device: Known) => {
    const day = device.fields[fields['bought']!]
    return day === undefined
      ? undefined
      : Math.round((Date.parse(String(day)) - Date.parse(at(0).slice(0, 10))) / day_ms)
  }
  const custom = (name: string, op: string, value?: unknown) => ({
    field: 'custom_field',
    custom_field_kid: fields[name]!,
    op,
    value,
  })
  const valueOf = (device: Known, name: string) => device.fields[fields[name]!]

  const app = (op: string, version?: string) => ({ field: 'app', op, value: { package: 'com.acme', version } })

  type Case = [title: string, condition: () => object, is: (device: Known) => boolean]
  const cases: Case[] = [
    ['an SN', () => ({ field: 'sn', op: 'is', value: 'sn-007' }), (d) => d.sn === 'SN-007'],
    ['another SN', () => ({ field: 'sn', op: 'is_not', value: 'SN-007' }), (d) => d.sn !== 'SN-007'],
    [
      'the beginning of an SN',
      () => ({ field: 'sn', op: 'starts_with', value: 'SN-01' }),
      (d) => d.sn.startsWith('SN-01'),
    ],
    ['a part of an SN', () => ({ field: 'sn', op: 'contains', value: '-02' }), (d) => d.sn.includes('-02')],
    [
      'a short beginning',
      () => ({ field: 'name', op: 'starts_with', value: 'T' }),
      (d) => lower(d.name).startsWith('t'),
    ],
    ['a literal wildcard', () => ({ field: 'name', op: 'contains', value: '50%' }), (d) => d.name.includes('50%')],
    ['a part of an alias only', () => ({ field: 'name', op: 'contains', value: 'sn-' }), () => false],
    ['no alias', () => ({ field: 'name', op: 'is_empty' }), (d) => d.name === ''],
    ['some alias', () => ({ field: 'name', op: 'is_filled' }), (d) => d.name !== ''],
    ['an IMEI', () => ({ field: 'imei', op: 'contains', value: '000011' }), (d) => d.imei.includes('000011')],
    ['no IMEI', () => ({ field: 'imei', op: 'is_empty' }), (d) => d.imei === ''],
    [
      'another IMEI',
      () => ({ field: 'imei', op: 'is_not', value: '350000000000011' }),
      (d) => d.imei !== '350000000000011',
    ],
    ['a model', () => ({ field: 'model', op: 'is_one_of', value: ['M2'] }), (d) => d.model === 'M2'],
    ['one of models', () => ({ field: 'model', op: 'is_one_of', value: ['M2', 'M1'] }), (d) => d.model !== ''],
    ['none of models', () => ({ field: 'model', op: 'is_none_of', value: ['M2', 'M9'] }), (d) => d.model !== 'M2'],
    ['a UID', () => ({ field: 'uid', op: 'is_one_of', value: ['NM11602S1E0ENGEN0001'] }), (d) => d.uid !== ''],
    ['no UID', () => ({ field: 'uid', op: 'is_empty' }), (d) => d.uid === ''],
    [
      'a range of version codes',
      () => ({ field: 'version_code', op: 'between', value: { min: 2.5, max: 1e15 } }),
      (d) => d.version_code !== null && d.version_code > 2.5,
    ],
    ['no VER', () => ({ field: 'ver', op: 'is_empty' }), (d) => d.version_code === null],
    ['no model', () => ({ field: 'model', op: 'is_empty' }), (d) => d.model === ''],
    [
      'a network',
      () => ({ field: 'network_type', op: 'is_one_of', value: ['wifi'] }),
      (d) => d.network?.type === 'wifi',
    ],
    ['no known network', () => ({ field: 'network_type', op: 'is_empty' }), (d) => d.network === null],
    [
      'another network',
      () => ({ field: 'network_type', op: 'is_none_of', value: ['wifi'] }),
      (d) => d.network?.type !== 'wifi',
    ],
    ['online', () => ({ field: 'is_online', op: 'is', value: true }), (d) => d.is_online],
    ['offline', () => ({ field: 'is_online', op: 'is', value: false }), (d) => !d.is_online],
    ['metered', () => ({ field: 'is_metered', op: 'is', value: true }), (d) => d.network?.is_metered === true],
    ['not metered', () => ({ field: 'is_metered', op: 'is', value: false }), (d) => d.network?.is_metered !== true],
    ['roaming', () => ({ field: 'is_roaming', op: 'is', value: true }), (d) => d.network?.is_roaming === true],
    [
      'an app in front',
      () => ({ field: 'has_foreground_app', op: 'is', value: true }),
      (d) => Boolean(d.foreground_app),
    ],
    [
      'battery',
      () => ({ field: 'battery_level', op: 'between', value: { min: 20, max: 33.25 } }),
      (d) => d.battery_level !== null && d.battery_level >= 20 && d.battery_level <= 33.25,
    ],
    ['an unknown battery', () => ({ field: 'battery_level', op: 'is_empty' }), (d) => d.battery_level === null],
    [
      'signal',
      () => ({ field: 'signal', op: 'between', value: { min: -70, max: -60.5 } }),
      (d) => d.signal !== null && d.signal >= -70 && d.signal <= -60.5,
    ],
    ['one signal', () => ({ field: 'signal', op: 'between', value: { min: 0, max: 0 } }), (d) => d.signal === 0],
    ['a known signal', () => ({ field: 'signal', op: 'is_filled' }), (d) => d.signal !== null],
    [
      'registered before',
      () => ({ field: 'registered_at', op: 'before', value: at(10) }),
      (d) => d.registered_at.getTime() < ago(10),
    ],
    [
      'registered after',
      () => ({ field: 'registered_at', op: 'after', value: at(10) }),
      (d) => d.registered_at.getTime() >= ago(10),
    ],
    [
      'registered within',
      () => ({ field: 'registered_at', op: 'within', value: 5 }),
      (d) => d.registered_at.getTime() >= ago(5),
    ],
    [
      'not seen for long',
      () => ({ field: 'last_online_at', op: 'older_than', value: 20 }),
      (d) => !d.is_online && d.last_online_at !== null && d.last_online_at.getTime() < ago(20),
    ],
    [
      'seen lately',
      () => ({ field: 'last_online_at', op: 'within', value: 20 }),
      (d) => d.is_online || (d.last_online_at !== null && d.last_online_at.getTime() >= ago(20)),
    ],
    ['never seen', () => ({ field: 'last_online_at', op: 'is_empty' }), (d) => d.last_online_at === null],
    ['a tag', () => ({ field: 'tags', op: 'has_any', value: ['vip'] }), (d) => d.tags.includes('vip')],
    [
      'any of tags',
      () => ({ field: 'tags', op: 'has_any', value: ['lab', 'a"b, c'] }),
      (d) => d.tags.some((tag) => tag === 'lab' || tag === 'a"b, c'),
    ],
    [
      'all of tags',
      () => ({ field: 'tags', op: 'has_all', value: ['vip', 'lab'] }),
      (d) => d.tags.includes('vip') && d.tags.includes('lab'),
    ],
    ['none of tags', () => ({ field: 'tags', op: 'has_none', value: ['lab'] }), (d) => !d.tags.includes('lab')],
    ['no tag', () => ({ field: 'tags', op: 'is_empty' }), (d) => d.tags.length === 0],
    ['some tag', () => ({ field: 'tags', op: 'is_filled' }), (d) => d.tags.length > 0],
    [
      'a group with what is below',
      () => ({ field: 'terminal_group_kid', op: 'is_within', value: [groups['top']] }),
      (d) => d.group !== null,
    ],
    [
      'a group or none',
      () => ({ field: 'terminal_group_kid', op: 'is_within', value: [groups['below'], 'NO_GROUP'] }),
      (d) => d.group !== groups['top'],
    ],
    [
      'not a group',
      () => ({ field: 'terminal_group_kid', op: 'is_not_within', value: [groups['below']] }),
      (d) => d.group !== groups['below'],
    ],
    ['a text field', () => custom('place', 'is', 'depot'), (d) => valueOf(d, 'place') === 'depot'],
    ['another text', () => custom('place', 'is_not', 'depot'), (d) => valueOf(d, 'place') !== 'depot'],
    ['a part of a text', () => custom('place', 'contains', 'HÀ nội'), (d) => valueOf(d, 'place') === 'Kho Hà Nội'],
    [
      'a beginning with a wildcard',
      () => custom('place', 'starts_with', '100%'),
      (d) => valueOf(d, 'place') === '100%',
    ],
    ['an empty text', () => custom('place', 'is_empty'), (d) => valueOf(d, 'place') === undefined],
    ['a filled text', () => custom('place', 'is_filled'), (d) => valueOf(d, 'place') !== undefined],
    [
      'a number field',
      () => custom('floor', 'between', { min: -2, max: 0.5 }),
      (d) => valueOf(d, 'floor') !== undefined && Number(valueOf(d, 'floor')) <= 0.5,
    ],
    [
      'a date before',
      () => custom('bought', 'before', at(20).slice(0, 10)),
      (d) => dayFrom(d) !== undefined && dayFrom(d)! < -20,
    ],
    [
      'a date after',
      () => custom('bought', 'after', at(21).slice(0, 10)),
      (d) => dayFrom(d) !== undefined && dayFrom(d)! > -21,
    ],
    [
      'a date around today',
      () => custom('bought', 'within', 20),
      (d) => dayFrom(d) !== undefined && Math.abs(dayFrom(d)!) <= 20,
    ],
    ['a date long ago', () => custom('bought', 'older_than', 20), (d) => dayFrom(d) !== undefined && dayFrom(d)! < -20],
    ['a choice', () => custom('size', 'is_one_of', ['S', 'L']), (d) => ['S', 'L'].includes(String(valueOf(d, 'size')))],
    ['not a choice', () => custom('size', 'is_none_of', ['S']), (d) => valueOf(d, 'size') !== 'S'],
    ['yes', () => custom('leased', 'is', true), (d) => valueOf(d, 'leased') === true],
    ['no', () => custom('leased', 'is', false), (d) => valueOf(d, 'leased') === false],
    ['an app', () => app('is_installed'), (d) => d.app !== null],
    ['no such app', () => app('is_not_installed'), (d) => d.app === null],
    ['a lower version, by its numbers', () => app('is_below', '1.10'), (d) => d.app === '1.9'],
    ['a version or higher', () => app('is_at_least', '1.10'), (d) => d.app === '1.10' || d.app === 'v2.0-beta'],
    ['a version', () => app('is_version', '1.9'), (d) => d.app === '1.9'],
  ]

  it.each(cases)('%s', async (title, condition, is) => {
    const expected = meant(is)
    if (title !== 'a part of an alias only') expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(devices.length)
    expect(await listed({ where: asked(condition()) })).toEqual(expected)
  })

  it('every field and operator of the contract has been asked above', () => {
    const own = ['place', 'floor', 'bought', 'size', 'leased']
    const done = new Set(
      cases
        .map(([, condition]) => condition() as WhereCondition)
        .map(
          ({ field, op, custom_field_kid }) =>
            `${field === 'custom_field' ? own.find((name) => fields[name] === custom_field_kid) : whereFields[field]} ${op}`,
        ),
    )
    const all = Object.entries(whereOperators).flatMap(([of, ops]) => Object.keys(ops).map((op) => `${of} ${op}`))
    const elsewhere = new Set(['date', 'time'].flatMap((of) => ['is_empty', 'is_filled'].map((op) => `${of} ${op}`)))
    const asDate = (key: string) => key.replace(/^date /, 'bought ')
    expect(all.filter((key) => !done.has(key) && !done.has(asDate(key)) && !elsewhere.has(key))).toEqual([
      'choice is_filled',
    ])
    const missing = (Object.keys(whereFields) as WhereField[]).filter((field) => field !== 'os_version')
    expect(
      missing.filter((field) => !cases.some(([, condition]) => (condition() as WhereCondition).field === field)),
    ).toEqual([])
  })

  it('single filters say the same, in the numbers of the specification', async () => {
    const battery = { min: 0, max: 20 }
    expect(await listed({ battery })).toEqual(meant((d) => d.battery_level !== null && d.battery_level <= 20))
    expect(await listed({ signal: { min: -69.5, max: 0 } })).toEqual(
      meant((d) => d.signal !== null && d.signal >= -69.5),
    )
    expect(await listed({ metered: 2 })).toEqual(meant((d) => d.network?.is_metered === true))
    expect(await listed({ metered: 1 })).toEqual(meant((d) => d.network?.is_metered !== true))
    expect(await listed({ roaming: 2 })).toEqual(meant((d) => d.network?.is_roaming === true))
    expect(await listed({ roaming: -1 })).toHaveLength(devices.length)
    expect(await listed({ foreground_state: 2 })).toEqual(meant((d) => Boolean(d.foreground_app)))
    expect(await listed({ foreground_state: 1 })).toEqual(meant((d) => !d.foreground_app))
    for (const [location_fence_status, state] of [
      [0, null],
      [1, 'inside'],
      [2, 'outside'],
    ] as const)
      expect(await listed({ location_fence_status })).toEqual(meant((d) => d.fence_state === state))
    expect(await listed({ agent_kind: 'mdmesh' })).toEqual(meant((d) => d.agent_kind === 'mdmesh'))
    expect(await listed({ agent_kind: ['mdm', 'mdmesh'] })).toHaveLength(devices.length)
    expect(await listed({ can: 'shutdown' })).toEqual(meant((d) => d.task_types?.includes('shutdown') === true))
    expect(await listed({ location_fence_status: -1 })).toHaveLength(devices.length)
    expect(await listed({ location_fence_status: 2, model: 'M1' })).toEqual(
      meant((d) => d.fence_state === 'outside' && d.model === 'M1'),
    )
    for (const [value, values] of [
      ['M1', ['M1']],
      [
        ['M1', 'M2'],
        ['M1', 'M2'],
      ],
    ] as const)
      expect(await listed({ model: value })).toEqual(meant((d) => values.some((each) => each === d.model)))
    expect(await listed({ tag: ['vip', 'lab'] })).toEqual(
      meant((d) => d.tags.some((tag) => tag === 'vip' || tag === 'lab')),
    )
    expect(await listed({ tag: 'vip', is_online: true })).toEqual(meant((d) => d.tags.includes('vip') && d.is_online))
    expect(await listed({ custom_field: custom('leased', 'is', true) })).toEqual(
      meant((d) => valueOf(d, 'leased') === true),
    )
  })

  it('SNs by name are found in any letter case, each once, of this account and within the groups of the person', async () => {
    const asked_sns = devices.slice(3, 9).map(({ sn }) => sn)
    const pasted = [...asked_sns.map((sn, at) => (at % 2 ? sn : sn.toLowerCase())), 'NOBODY-HAS-IT', 'SN-000-foreign']
    expect(await listed({ sns: pasted })).toEqual(meant((d) => asked_sns.includes(d.sn)))
    expect(await listed({ sns: [...pasted, ...asked_sns], is_online: true })).toEqual(
      meant((d) => asked_sns.includes(d.sn) && d.is_online),
    )
    expect(await listed({ sns: devices.map(({ sn }) => sn) }, [groups['below']!])).toEqual(
      meant((d) => d.group === groups['below']),
    )
    const parses = (sns: string[]) => TerminalFilter.safeParse({ sns }).success
    expect(
      [0, 1, named_sns_max, named_sns_max + 1].map((n) => parses(Array.from({ length: n }, (_, at) => `S${at}`))),
    ).toEqual([false, true, true, false])
  })

  it('joins conditions by AND and OR, within each other and with the single filters', async () => {
    const where = {
      any: [
        { field: 'model', op: 'is_one_of', value: ['M1'] },
        {
          all: [
            { field: 'is_online', op: 'is', value: false },
            { any: [{ field: 'tags', op: 'has_any', value: ['lab'] }, custom('leased', 'is', true)] },
          ],
        },
      ],
    }
    const is = (d: Known) =>
      d.model === 'M1' || (!d.is_online && (d.tags.includes('lab') || valueOf(d, 'leased') === true))
    expect(await listed({ where })).toEqual(meant(is))
    expect(await listed({ where, text: 'till' })).toEqual(meant((d) => is(d) && lower(d.name).includes('till')))
    const grouped = await listed({ where, terminal_group_kid: groups['top'] })
    expect(grouped).toEqual(meant((d) => is(d) && d.group !== null))
    expect(await listed({ where }, [groups['below']!])).toEqual(meant((d) => is(d) && d.group === groups['below']))
    const elsewhere = asked({ field: 'terminal_group_kid', op: 'is_within', value: [groups['top']] })
    expect(await listed({ where: elsewhere }, [groups['below']!])).toEqual(meant((d) => d.group === groups['below']))
    const battery = { where: asked({ field: 'battery_level', op: 'between', value: { min: 0, max: 100 } }) }
    expect(await listed(battery, [groups['below']!])).toEqual(
      meant((d) => d.battery_level !== null && d.group === groups['below']),
    )
  })

  it('what does not exist has no devices: a field, a group, a dynamic group, a question that a field cannot be asked', async () => {
    const kid = newKid()
    expect(await listed({ where: asked({ field: 'custom_field', custom_field_kid: kid, op: 'is_empty' }) })).toEqual([])
    expect(await listed({ where: asked({ field: 'terminal_group_kid', op: 'is_within', value: [kid] }) })).toEqual([])
    expect(await listed({ terminal_dynamic_group_kid: kid })).toEqual([])
    expect(await listed({ where: asked(custom('floor', 'contains', '100')) })).toEqual([])
    expect(await listed({ where: asked(custom('size', 'is', true)) })).toEqual([])
  })

  it('survives whatever a text holds', async () => {
    for (const value of ["'; drop table terminal; --", '{"a":1}', '\\', '%%%', '\u{1F600}abc']) {
      expect(await listed({ where: asked({ field: 'sn', op: 'is', value }) })).toEqual([])
      expect(await listed({ where: asked(custom('place', 'is', value)) })).toEqual([])
      expect(await listed({ tag: value.slice(0, 32) })).toEqual([])
    }
    expect((await sql<{ n: number }>`select count(*)::int as n from terminal`.execute(deps.db)).rows[0]!.n).toBe(49)
  })
})
