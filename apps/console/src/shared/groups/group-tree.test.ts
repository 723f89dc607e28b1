import type { TerminalGroup } from '@mdm/contract'
import { expect, test } from 'vitest'
import { flat, heightOf, isWithin, matches, search, treeOf } from './group-tree.ts'

const group = (kid: string, parent_kid: string | null, name = kid): TerminalGroup => ({
  kid,
  name,
  parent_kid,
  is_no_group: kid === 'NO_GROUP',
  has_child: false,
  terminal_count: 1,
  total_count: 1,
})
const groups = [
  group('NO_GROUP', null),
  group('south', null, 'Miền Nam'),
  group('hcm', 'south', 'Thành phố Hồ Chí Minh'),
  group('q1', 'hcm', 'Quận 1'),
  group('north', null, 'Miền Bắc'),
]

test('a flat list becomes a tree with depth and path, without the NO_GROUP entry', () => {
  const nodes = flat(treeOf(groups))
  expect(nodes.map(({ kid, depth }) => [kid, depth])).toEqual([
    ['south', 1],
    ['hcm', 2],
    ['q1', 3],
    ['north', 1],
  ])
  expect(nodes[2]?.path).toEqual(['Miền Nam', 'Thành phố Hồ Chí Minh', 'Quận 1'])
})

test('a group whose parent is not in the list starts a tree of its own', () => {
  expect(treeOf([group('q1', 'hidden')]).map(({ kid, depth }) => [kid, depth])).toEqual([['q1', 1]])
})

test('search keeps what is above a match and drops the rest', () => {
  expect(flat(search(treeOf(groups), 'quan')).map(({ kid }) => kid)).toEqual(['south', 'hcm', 'q1'])
  expect(search(treeOf(groups), 'nowhere')).toEqual([])
  expect(flat(search(treeOf(groups), ' ')).length).toBe(4)
})

test('names match without their accents', () => {
  expect(matches('Đà Nẵng', 'da nang')).toBe(true)
  expect(matches('Huế', 'da')).toBe(false)
})

test('height and containment', () => {
  const south = treeOf(groups)[0]!
  expect(heightOf(south)).toBe(3)
  expect(isWithin(south, 'q1')).toBe(true)
  expect(isWithin(south, 'north')).toBe(false)
})
