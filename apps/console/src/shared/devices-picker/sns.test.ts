import { expect, test } from 'vitest'
import { firstColumn, snLimits, snsOf, snsOfFile, snsOfText } from './sns.ts'

test('pasted SNs are taken each once, whatever stands between them and whatever their case', () => {
  expect(snsOfText(' A-1, a-1\nB 2;"C"\n').sns).toEqual(['A-1', 'B', '2', 'C'])
  expect(snsOf(['x'.repeat(37), 'y'.repeat(36)])).toEqual({ sns: ['y'.repeat(36)], wrong: ['x'.repeat(37)] })
})

test('of a file the first column is read, without its head, whatever separates columns and lines', () => {
  expect(firstColumn('\uFEFFSN,Name\r\n"A ""1""",x\r\nB;y\rC\tz\n\n D ')).toEqual(['A "1"', 'B', 'C', 'D'])
  expect(firstColumn('A\nsn')).toEqual(['A', 'sn'])
})

test('a file that is too large, no text, empty or too long is refused by name', async () => {
  const file = (text: BlobPart, name = 'list.csv') => new File([text], name)
  expect(await snsOfFile(file('SN\nA-1\nA-2\na-1'))).toEqual({
    text: '',
    file: 'list.csv',
    sns: ['A-1', 'A-2'],
    wrong: [],
  })
  expect(await snsOfFile(file(new Uint8Array([0xff, 0xfe, 0x41, 0, 0x0a, 0, 0x42, 0])))).toMatchObject({
    sns: ['A', 'B'],
  })
  expect(await snsOfFile(file('PK\u0003\u0004\u0000\u0000'))).toBe('not_text')
  expect(await snsOfFile(file('SN\n\n'))).toBe('empty')
  expect(await snsOfFile(file(new Uint8Array(snLimits.bytes + 1)))).toBe('too_large')
  const many = Array.from({ length: snLimits.sns + 1 }, (_, at) => `S${at}`).join('\n')
  expect(await snsOfFile(file(many))).toBe('too_many')
})
