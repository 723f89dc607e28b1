import { expect, test } from 'vitest'
import { partsOf } from './parts.ts'

const marked = (text: string, wanted: string) =>
  partsOf(text, wanted)
    .map(({ part, is_match }) => (is_match ? `[${part}]` : part))
    .join('')

test.each([
  ['CT60-0001', 'ct60', '[CT60]-0001'],
  ['0001-CT60-0001', '0001', '[0001]-CT60-[0001]'],
  ['aaaa', 'aa', '[aa][aa]'],
  ['Kho Hà Nội', ' hà ', 'Kho [Hà] Nội'],
  ['CT60', 'x', 'CT60'],
  ['CT60', '', 'CT60'],
  ['a.b', '.', 'a[.]b'],
  ['İstanbul', 'stan', 'İstanbul'],
])('in %s, %s is marked as %s', (text, wanted, shown) => expect(marked(text, wanted)).toBe(shown))
