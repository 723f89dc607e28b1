import { expect, it } from 'vitest'
import { Refusal } from '../refusal.ts'
import { fileName, validFileName } from './names.ts'

const faultOf = (name: string): unknown => {
  try {
    return validFileName(name)
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.refusal, fields: error.fields }
    throw error
  }
}

it('a name of more bytes than devices keep is refused, and the refusal says so', () => {
  const name = 'ệ'.repeat(255)
  expect(fileName(name)).toBe(undefined)
  const fields = { name: { name: 'file_name_bytes', details: { max: 255 } } }
  expect(faultOf(name)).toEqual({ refusal: 'file_name_invalid', fields })
})

it('a name is kept to the last byte, and composed before its bytes are counted', () => {
  expect(faultOf('ệ'.repeat(85))).toBe('ệ'.repeat(85))
  expect(faultOf(' e\u0323\u0302.txt ')).toBe('ệ.txt')
  expect(faultOf('a/b')).toEqual({ refusal: 'file_name_invalid', fields: undefined })
})
