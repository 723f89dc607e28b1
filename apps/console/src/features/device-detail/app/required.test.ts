import { expect, test } from 'vitest'
import { treeOf } from '../../../shared/groups/group-tree.ts'
import { isForGroup, standingOf } from './required.ts'

const group = (kid: string, parent_kid: string | null) => ({
  ...{ kid, parent_kid, name: kid, is_no_group: false, has_child: false, terminal_count: 0, total_count: 0 },
})
const tree = treeOf([group('north', null), group('dock', 'north'), group('south', null)])

test('a rule of a group is for the devices of it and below, one of the account for all, and none while it is off', () => {
  const rule = (terminal_group_kid: string | null, is_on = true) => ({ terminal_group_kid, is_on })
  const groups = ['north', 'dock', 'south', null]
  expect(groups.map((kid) => isForGroup(rule('north'), kid, tree))).toEqual([true, true, false, false])
  expect(groups.map((kid) => isForGroup(rule(null), kid, tree))).toEqual([true, true, true, true])
  expect(groups.map((kid) => isForGroup(rule(null, false), kid, tree))).toEqual([false, false, false, false])
  expect(isForGroup(rule('unseen'), 'dock', tree)).toBe(false)
})

test('versions are compared by their codes, or by their names where one of the two has no code', () => {
  const wanted = { version_name: '2.0', version_code: 20 }
  expect(standingOf(wanted, undefined)).toBe('missing')
  expect(standingOf(wanted, { version: 'any', version_code: 19 })).toBe('below')
  expect(standingOf(wanted, { version: 'any', version_code: 20 })).toBe('has_it')
  expect(standingOf(wanted, { version: '2.0' })).toBe('has_it')
  expect(standingOf(wanted, { version: '1.9' })).toBe('below')
  expect(standingOf({ version_name: null, version_code: null }, { version: '1.9' })).toBe('has_it')
})
