import type { MenuEntry } from '@mdm/contract'
import { expect, test } from 'vitest'
import { nested } from '../../ui/list/tree.ts'
import { dropOf, stepOf, whyNotBelow } from './menu-places.ts'

const entry = (kid: string, p_id: string | null, type: MenuEntry['type']): MenuEntry => ({
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
  end: 'web',
  is_seeded: false,
  encoding: '01',
  has_child: false,
})
const rows = [
  entry('home', null, 'page'),
  entry('devices', null, 'group'),
  entry('list', 'devices', 'page'),
  entry('cancel', 'list', 'operation'),
  entry('detail', 'devices', 'page'),
  entry('log', 'devices', 'page'),
  entry('files', null, 'group'),
]
const tree = nested(rows, ({ p_id }) => p_id)
const of = (kid: string) => rows.find((row) => row.kid === kid)!

test('a step goes past one sibling and ends at the ends', () => {
  expect(stepOf(tree, of('detail'), -1)).toEqual({ parent: 'devices', before: 'list' })
  expect(stepOf(tree, of('list'), 1)).toEqual({ parent: 'devices', before: 'log' })
  expect(stepOf(tree, of('detail'), 1)).toEqual({ parent: 'devices', before: null })
  expect(stepOf(tree, of('list'), -1)).toBeUndefined()
  expect(stepOf(tree, of('files'), 1)).toBeUndefined()
  expect(stepOf(tree, of('devices'), -1)).toEqual({ parent: 'ROOT', before: 'home' })
})

test('a drop lands before, below or after the row it is let go over', () => {
  expect(dropOf(tree, of('detail'), 'before')).toEqual({ parent: 'devices', before: 'detail' })
  expect(dropOf(tree, of('detail'), 'after')).toEqual({ parent: 'devices', before: 'log' })
  expect(dropOf(tree, of('files'), 'after')).toEqual({ parent: 'ROOT', before: null })
  expect(dropOf(tree, of('files'), 'into')).toEqual({ parent: 'files', before: null })
})

test('an entry cannot stand below an operation, in itself, or where its kind has no place', () => {
  expect(whyNotBelow(tree, of('log'), of('cancel'))).toBe('below_operation')
  expect(whyNotBelow(tree, of('devices'), of('list'))).toBe('into_itself')
  expect(whyNotBelow(tree, of('log'), of('detail'))).toBe('does_not_fit')
  expect(whyNotBelow(tree, of('cancel'), null)).toBe('does_not_fit')
  expect(whyNotBelow(tree, of('log'), of('files'))).toBeUndefined()
  expect(whyNotBelow(tree, of('log'), null)).toBeUndefined()
})
