import { expect, test } from 'vitest'
import { pretty } from './pretty.ts'

test('JSON is indented; anything else, cut-off JSON included, stays as it is', () => {
  expect(pretty('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(pretty('{"a":[1')).toBe('{"a":[1')
  expect(pretty('<b>no</b>')).toBe('<b>no</b>')
  expect(pretty('')).toBe('')
})
