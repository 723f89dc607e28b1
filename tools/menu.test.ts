import { execFileSync } from 'node:child_process'
import { permissions } from '@mdm/contract'
import { expect, test } from 'vitest'
import { accessOf, seedGroups, seedPages } from '../apps/server/src/modules/menu-tree/seed.ts'
import { root } from './terminal.mjs'

type Screen = { path: string; needs: string; end_type: number }
const printed = execFileSync(process.execPath, ['--import', 'tsx', 'tools/screens.ts'], { cwd: root, encoding: 'utf8' })
const screens = JSON.parse(printed) as Screen[]
const pages = [
  ...seedPages.map((page) => ({ ...page, of: page.end_type })),
  ...seedGroups.flatMap((group) => group.pages.map((page) => ({ ...page, of: group.end_type }))),
]

/** What an operator outside every customer has too, although it is the customer's. */
const of_both_sides = ['/home/index']

test('every page of the menu has a screen that asks for the same permission on the same side', () => {
  const odd = pages.filter((page) => {
    const screen = screens.find(({ path }) => path === page.path)
    const is_there = screen?.end_type === page.of || of_both_sides.includes(page.path)
    return screen?.needs !== accessOf(page) || !is_there
  })
  expect(odd.map(({ path }) => path)).toEqual([])
})

test('every screen that asks for a permission is in the menu', () => {
  const known = new Set(pages.map(({ path }) => path))
  const guarded = screens.filter(({ needs }) => (permissions as readonly string[]).includes(needs))
  expect(guarded.filter(({ path }) => !known.has(path)).map(({ path }) => path)).toEqual([])
})

test('the permission of a screen is the camelCase of its path', () => {
  const camel = (path: string) => path.slice(1).replace(/[-/](\w)/g, (_, letter: string) => letter.toUpperCase())
  const named = screens.filter(({ needs }) => (permissions as readonly string[]).includes(needs))
  expect(named.filter(({ path, needs }) => camel(path) !== needs)).toEqual([])
})
