import { expect, test } from 'vitest'
import { grownParts } from './budget.ts'
import { chart, limitOf, shareOf } from './chart.ts'
import { notRun, row, sampleOf } from './measure.ts'
import type { Sample } from './measure.ts'
import { measured } from './report.ts'

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

test('a goal that could not be run takes nothing from what was measured of it before', () => {
  const of = (rows: ReturnType<typeof row>[]) => ({ date: '2026-01-02', machine: 'A machine', rows })
  const run = row('P1', 'messages/s', [[sampleOf(1), sampleOf(1)]], '>= 0.5', (r) => r.median >= 0.5)
  const missing = notRun('P5', 'device list', 'no browser')
  expect(Object.keys(measured({ P1: of([run]), P5: of([missing]), P14: of([missing, run]) }))).toEqual(['P1', 'P14'])
})
