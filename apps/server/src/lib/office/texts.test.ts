import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Texts } from './texts.ts'

it('gives every text back by its number, and nothing by another', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('', 'x'.repeat(700_000), '工'.repeat(500_000)),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (all) => {
      const texts = new Texts()
      for (const each of all) texts.push(each)
      expect(texts.count).toBe(all.length)
      expect(all.map((_, n) => texts.at(n))).toEqual(all.map((each) => each.toWellFormed()))
      for (const n of [-1, 0.5, all.length, NaN]) expect(texts.at(n)).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})
