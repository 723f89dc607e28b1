import type { MenuNode } from '@mdm/contract'
import { expect, test } from 'vitest'
import { folded, menuOf } from './menu.ts'

const node = (kid: string, p_id: string | null, type: MenuNode['type'], more: Partial<MenuNode> = {}): MenuNode => ({
  kid,
  p_id,
  code: kid,
  name: { en: kid, vi: kid, 'zh-cn': kid },
  access_code: null,
  type,
  path: null,
  icon: null,
  visible: 1,
  end_type: 1,
  sort: 0,
  remind: '',
  ...more,
})
const nodes = [
  node('fleet', null, 'module'),
  node('logs', 'fleet', 'group', { sort: 2 }),
  node('log', 'logs', 'page', { path: '/operation-log-list', access_code: 'operationLogList', remind: 'Three months' }),
  node('devices', 'fleet', 'group', { sort: 1 }),
  node('list', 'devices', 'page', { path: '/device-list', access_code: 'deviceList' }),
  node('hidden', 'devices', 'page', { path: '/file-cloud-list', visible: 0 }),
  node('gone', 'devices', 'page', { path: '/a-screen-that-is-not-built' }),
  node('cancel', 'list', 'operation', { access_code: 'deviceList:cancel' }),
  node('help', 'devices', 'page', { path: 'https://help.example', sort: 9 }),
  node('trick', 'devices', 'page', { path: 'javascript:alert(1)', sort: 9 }),
  node('provider', null, 'module', { sort: 5, end_type: 2 }),
  node('users', 'provider', 'group', { end_type: 2 }),
  node('customers', 'users', 'page', { path: '/external-user-manage-list', end_type: 2 }),
]
const titles = (who: { account_type: 1 | 101; enter_kid: string | null; permissions: string[] }) =>
  menuOf(nodes, who, 'en').map(({ title, groups }) => [
    title,
    groups.map((group) => [group.title, group.items.map((item) => item.title)]),
  ])

test('a customer sees the pages of end type 1 that may be opened, in the order of the tree', () => {
  expect(titles({ account_type: 1, enter_kid: null, permissions: ['*'] })).toEqual([
    [
      'fleet',
      [
        ['devices', ['list', 'help']],
        ['logs', ['log']],
      ],
    ],
  ])
  expect(titles({ account_type: 1, enter_kid: null, permissions: ['operationLogList'] })).toEqual([
    [
      'fleet',
      [
        ['devices', ['help']],
        ['logs', ['log']],
      ],
    ],
  ])
})

test('an operator sees the pages of end type 2 outside a customer, and the customer’s inside', () => {
  expect(titles({ account_type: 101, enter_kid: null, permissions: ['*'] })).toEqual([
    ['provider', [['users', ['customers']]]],
  ])
  expect(titles({ account_type: 101, enter_kid: 'c', permissions: ['*'] })[0]?.[0]).toBe('fleet')
})

test('an entry brings its reminder and the icon it was given', () => {
  const [module] = menuOf(nodes, { account_type: 1, enter_kid: null, permissions: ['operationLogList'] }, 'en')
  const log = module?.groups.flatMap((group) => group.items).find(({ key }) => key === 'log')
  expect(log).toMatchObject({ remind: 'Three months', icon: null, page: 'operationLogList' })
})

test('lists of OS information that follow each other are one entry that unfolds', () => {
  const listed = [
    node('uid', 'provider', 'page', { path: '/uid-list', end_type: 2 }),
    ...['solution', 'hardware'].map((name) =>
      node(name, 'provider', 'page', { path: `/information-list/${name}`, end_type: 2, sort: 1 }),
    ),
    node('models', 'provider', 'page', { path: '/oscs-model-manage-list', end_type: 2, sort: 2 }),
    node('screen', 'provider', 'page', { path: '/information-list/screen', end_type: 2, sort: 3 }),
  ]
  const operator = { account_type: 101, enter_kid: null, permissions: ['*'] } as const
  const [module] = menuOf([...nodes, ...listed], { ...operator, permissions: ['*'] }, 'en')
  const items = module!.groups.find(({ key }) => key === 'provider')!.items
  const shown = folded(items).map((item) => ('title' in item ? item.title : item.map(({ title }) => title)))
  expect(shown).toEqual(['uid', ['solution', 'hardware'], 'models', ['screen']])
})
