import { beginsWithZeros } from '@mdm/contract'
import { expect, it } from 'vitest'
import { sha1 } from '../../lib/sha1.ts'
import { workFor } from './puzzle-work.ts'

it('the work before a sign-in finds what the server asks for, and nothing where it asks for nothing', async () => {
  expect(await workFor('kid', 0)).toBe('')
  const work = await workFor('kid', 11)
  expect(sha1(`kid:${work}`)).toMatch(/^00[01]/)
})

it.each([
  ['ff', 0, true],
  ['7f', 1, true],
  ['80', 1, false],
  ['0f', 4, true],
  ['07', 5, true],
  ['08', 5, false],
  ['001f', 11, true],
  ['002f', 11, false],
])('%s begins with %i zero bits: %s', (hash, bits, is_so) => expect(beginsWithZeros(hash, bits)).toBe(is_so))
