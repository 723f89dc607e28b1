import { expect, test } from 'vitest'
import { pastedParts } from './pasted.ts'

test('a column, a line with commas or a quoted list are the same serial numbers, each once', () => {
  for (const text of ['A-1\nB:2\r\nC.3', ' A-1, B:2;C.3,', '"A-1"\t"B:2"\t\'C.3\'', 'A-1\nA-1\nB:2 C.3\n\n'])
    expect(pastedParts(text)).toEqual(['A-1', 'B:2', 'C.3'])
  expect(pastedParts(' \n,')).toEqual([])
})
