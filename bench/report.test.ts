import { expect, test } from 'vitest'
import { grownParts } from './budget.ts'
import { chart, limitOf, shareOf } from './chart.ts'
import { row, sampleOf } from './measure.ts'
import type { Sample } from './measure.ts'

test('how much of a goal is used is 1 at its limit, whichever way it looks', () => {
  expect(limitOf('<= 2.5')).toEqual({ is_most: true, figure: 2.5 })
  expect(limitOf('at most a third')).toBeUndefined()
  expect([shareOf(2.5, '<= 2.5'), shareOf(0.5, '>= 0.5'), shareOf(1, '< 1')]).toEqual([1, 1, 1])
  // Twice as fast as wanted uses half; half as fast, twice.
  expect([shareOf(1, '>= 0.5'), shareOf(0.25, '>= 0.5')]).toEqual([0.5, 2])
  expect([shareOf(0, '>= 0.5'), shareOf(3, '-')]).toEqual([0, 0])
})

test('a drawing has a bar for each row, the missed ones marked, and no markup of their words', () => {
  const pairs = (ratio: number): [Sample, Sample][] => [[sampleOf(ratio), sampleOf(1)]]
  const drawn = chart('Lists & more', [
    row('P4', 'p95 < SQL', pairs(2), '<= 3', (r) => r.median <= 3),
    row('P1', 'messages/s', pairs(0.25), '>= 0.5', (r) => r.median >= 0.5),
  ])
  expect(drawn.match(/<rect class="met"/g)).toHaveLength(1)
  expect(drawn.match(/<rect class="missed"/g)).toHaveLength(1)
  expect(drawn).toContain('p95 &lt; SQL')
  expect(drawn).toContain('aria-label="Lists &amp; more"')
})

test('what grew is named, the most first, and what came anew counts whole', () => {
  const before = { parts: { base: 60, map: 10, gone: 5 } }
  expect(grownParts({ parts: { base: 61.5, map: 10, added: 4, small: 0.05 } }, before)).toEqual([
    'grew: added +4.0, base +1.5',
  ])
  expect(grownParts({ parts: { base: 50 } }, before)).toEqual([])
})
