import { expect, test } from 'vitest'
import { strokesBetween } from './typing-field.ts'

test('a text that goes on is typed on; one that was mended is taken back as far as it differs', () => {
  expect(strokesBetween('', 'việt')).toBe('việt')
  expect(strokesBetween('vie', 'việ')).toBe('\bệ')
  expect(strokesBetween('helo ', 'hello ')).toBe('\b\blo ')
  expect(strokesBetween('same', 'same')).toBe('')
})

test('a letter of two units is one letter', () => {
  expect(strokesBetween('a😀', 'a😁')).toBe('\b😁')
})
