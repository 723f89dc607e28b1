import type { Grantable } from '@mdm/contract'
import { expect, test } from 'vitest'
import { checkedOf, choicesOf, found, namesOf, namesOutside, toggled, unfolded } from './permission-choice.ts'

const entry = (
  code: string,
  type: Grantable['type'],
  parent_code: string | null,
  permission: string | null,
  may_grant = true,
): Grantable => ({ code, type, parent_code, permission, may_grant, name: { en: code, vi: code, 'zh-cn': code } })
const tree = choicesOf(
  [
    entry('devices', 'group', null, null),
    entry('list', 'page', 'devices', 'deviceList'),
    entry('register', 'operation', 'list', 'deviceList:register'),
    entry('cancel', 'operation', 'list', 'deviceList:cancel', false),
    entry('log', 'page', 'devices', 'operationLogList'),
    entry('empty', 'group', null, null),
  ],
  'en',
  'open',
)
const group = tree[0]!
const page = group.children[0]!
const [open, register, cancel] = page.children as [typeof page, typeof page, typeof page]
const log = group.children[1]!

test('a page with operations holds them and its own opening; what holds nothing is not there', () => {
  expect(tree.map(({ key }) => key)).toEqual(['devices'])
  expect(page.children.map(({ name, permission }) => [name, permission])).toEqual([
    ['open', 'deviceList'],
    ['register', 'deviceList:register'],
    ['cancel', 'deviceList:cancel'],
  ])
  expect(namesOf(tree)).toEqual(['deviceList', 'deviceList:register', 'deviceList:cancel', 'operationLogList'])
})

test('a branch is checked, unchecked or mixed, whether by names or by patterns', () => {
  expect(checkedOf(group, [])).toBe('false')
  expect(checkedOf(group, ['operationLogList'])).toBe('mixed')
  expect(checkedOf(page, ['deviceList*'])).toBe('true')
  expect(checkedOf(log, ['*'])).toBe('true')
})

test('an operation brings its page, and goes with it', () => {
  expect(toggled(tree, register, [])).toEqual(['deviceList', 'deviceList:register'])
  expect(toggled(tree, open, ['deviceList', 'deviceList:register', 'operationLogList'])).toEqual(['operationLogList'])
})

test('a permission that the person does not hold is neither granted nor withdrawn with its branch', () => {
  expect(toggled(tree, page, [])).toEqual(['deviceList', 'deviceList:register'])
  expect(toggled(tree, page, ['deviceList', 'deviceList:register', 'deviceList:cancel'])).toEqual(['deviceList:cancel'])
  expect(toggled(tree, cancel, ['deviceList:cancel'])).toEqual(['deviceList:cancel'])
})

test('taking one name from a pattern leaves the others by name', () => {
  expect(toggled(tree, register, ['deviceList*', 'operationLogList'])).toEqual([
    'deviceList',
    'deviceList:cancel',
    'operationLogList',
  ])
  expect(toggled(tree, log, ['*'])).toEqual(['deviceList', 'deviceList:register', 'deviceList:cancel'])
})

test('a pattern stays as it is while only something else is added', () => {
  expect(toggled(tree, log, ['deviceList*'])).toEqual(['deviceList*', 'operationLogList'])
})

test('patterns and unknown names are shown beside the tree, the whole is not', () => {
  expect(namesOutside(tree, ['*', 'deviceList', 'deviceList*', 'somethingElse'])).toEqual([
    'deviceList*',
    'somethingElse',
  ])
  expect(unfolded(tree, ['deviceList*', 'somethingElse'])).toHaveLength(3)
})

test('search keeps what stands above, and a branch that matches whole', () => {
  expect(found(tree, 'operationlog')[0]?.children.map(({ key }) => key)).toEqual(['log'])
  expect(found(tree, 'LIST').flatMap(({ children }) => children.map((each) => each.children.length))).toEqual([3, 0])
  expect(found(tree, 'nowhere')).toEqual([])
})
