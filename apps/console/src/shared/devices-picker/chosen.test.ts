import { expect, test } from 'vitest'
import { TerminalFilter } from '@mdm/contract'
import { chosenOf, matchOf } from './chosen.ts'

const kid = '0190a000-0000-7000-8000-000000000001'
const where = { all: [{ field: 'model' as const, op: 'is_one_of' as const, value: ['M1'] }] }

test('a choice of devices that was kept is chosen again as it was', () => {
  for (const match of [{ terminal_group_kid: kid }, { terminal_dynamic_group_kid: kid }, { where }]) {
    const chosen = chosenOf(TerminalFilter.parse(match))
    expect(chosen && matchOf(chosen)).toEqual(match)
  }
  expect(chosenOf(TerminalFilter.parse({}))).toEqual({ kind: 'group', terminal_group_kid: 'ALL' })
})

test('a filter that asks for more than can be chosen is not taken for less', () => {
  for (const match of [
    { terminal_group_kid: kid, where },
    { terminal_dynamic_group_kid: kid, where },
    { terminal_dynamic_group_kid: kid, is_online: true },
    { text: 'A' },
  ])
    expect(chosenOf(TerminalFilter.parse(match))).toBeUndefined()
})
