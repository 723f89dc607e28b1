import { expect, test } from 'vitest'
import { branchOf, flattened, matching, nested } from './tree.ts'

const rows = [
  { kid: 'admin', above: null },
  { kid: 'manager', above: 'admin' },
  { kid: 'viewer', above: 'manager' },
  { kid: 'guest', above: 'admin' },
  { kid: 'stray', above: 'somebody unknown' },
]
const tree = nested(rows, ({ above }) => above)
const kids = (nodes: readonly { kid: string }[]) => nodes.map(({ kid }) => kid)

test('rows become a tree in their order; what lost its parent stands at the top', () => {
  expect(kids(tree)).toEqual(['admin', 'stray'])
  expect(kids(flattened(tree))).toEqual(['admin', 'manager', 'viewer', 'guest', 'stray'])
  expect(tree[1]).not.toHaveProperty('children')
})

test('a branch is its top and all below', () => {
  expect([...branchOf(tree, 'manager')]).toEqual(['manager', 'viewer'])
  expect(branchOf(tree, 'nobody').size).toBe(0)
})

test('a row of a tree that matches comes with those above it and without those below', () => {
  expect(kids(flattened(matching(tree, ({ kid }) => kid === 'viewer')))).toEqual(['admin', 'manager', 'viewer'])
  expect(kids(flattened(matching(tree, ({ kid }) => kid === 'admin')))).toEqual(['admin'])
  expect(matching(tree, () => false)).toEqual([])
})
