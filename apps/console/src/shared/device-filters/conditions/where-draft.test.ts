import { Where } from '@mdm/contract'
import type { CustomField, WhereGroup } from '@mdm/contract'
import { expect, test } from 'vitest'
import {
  conditionsIn,
  draftOf,
  isComplete,
  isGroup,
  keyOfField,
  newCondition,
  newGroup,
  operatorsOf,
  replaced,
  whereOf,
  withField,
  withOperator,
} from './where-draft.ts'

const kid = '01890000-0000-7000-8000-000000000001'
const fields: CustomField[] = [{ kid, name: 'Floor', kind: 'number', choices: [] }]
const where: WhereGroup = {
  any: [
    { field: 'model', op: 'is_one_of', value: ['CT60'] },
    {
      all: [
        { field: 'custom_field', custom_field_kid: kid, op: 'between', value: { min: 1, max: 2 } },
        { field: 'name', op: 'is_empty' },
      ],
    },
  ],
}

test('a filter that was made is the one that is edited, and the contract takes it', () => {
  const made = whereOf(draftOf(where), fields)
  expect(made).toEqual(where)
  expect(Where.safeParse(made).success).toBe(true)
})

test('there is nothing to send while a condition is incomplete, is about what is gone, or none is there', () => {
  expect(whereOf(newGroup(), fields)).toBeUndefined()
  expect(whereOf(newGroup('all', []), fields)).toBeUndefined()
  expect(whereOf(draftOf(where), [])).toBeUndefined()
  const range = { ...newCondition('battery_level'), value: { min: 10 } }
  expect(isComplete(range, fields)).toBe(false)
  expect(isComplete({ ...range, value: { min: 10, max: 5 } }, fields)).toBe(false)
  expect(isComplete({ ...range, value: { min: 10, max: 10 } }, fields)).toBe(true)
})

test('another field keeps the operator and the value where they mean the same', () => {
  const sn = { ...newCondition('sn'), op: 'contains', value: 'abc' }
  expect(withField(sn, 'name', fields)).toMatchObject({ field: 'name', op: 'contains', value: 'abc' })
  expect(withField(sn, keyOfField(kid), fields)).toMatchObject({ op: 'between', value: undefined })
  expect(withField(sn, 'is_online', fields)).toMatchObject({ op: 'is', value: true })
  const model = { ...newCondition('model'), value: ['CT60'] }
  expect(withField(model, 'os_version', fields)).toMatchObject({ op: 'is_one_of', value: [] })
})

test('another operator keeps the value where it takes it', () => {
  const tags = { ...newCondition('tags'), value: ['vip'] }
  expect(withOperator(tags, 'has_all', fields).value).toEqual(['vip'])
  expect(withOperator(tags, 'is_empty', fields).value).toBeUndefined()
  expect(withOperator({ ...tags, op: 'is_empty', value: undefined }, 'has_any', fields).value).toEqual([])
  for (const op of operatorsOf('yes_no')) expect(isComplete({ ...newCondition('is_online'), op }, fields)).toBe(true)
})

test('a bracket goes with its last condition, the outermost stays', () => {
  const draft = draftOf(where)
  const inner = draft.nodes.find(isGroup)!
  const [first, second] = conditionsIn(inner)
  const less = replaced(draft, first!.id, null)
  expect(conditionsIn(less)).toHaveLength(2)
  const none = replaced(less, second!.id, null)
  expect(none.nodes.some(isGroup)).toBe(false)
  expect(replaced(none, none.nodes[0]!.id, null)).toMatchObject({ joint: 'any', nodes: [] })
})
