import { expect, test } from 'vitest'
import { linesOfSlowFiles, linesOfWaits } from './slow-files.mjs'

test('the ten slowest files are told, the slowest first, and each that takes too long is named', () => {
  const times = Array.from({ length: 12 }, (_, at) => ({ file: `${at}.test.ts`, ms: at * 1000 }))
  const lines = linesOfSlowFiles('unit', [
    ...times,
    { file: 'long.test.ts', ms: 23_400 },
    { file: 'edge.test.ts', ms: 20_000 },
  ])
  expect(lines).toHaveLength(11)
  expect(lines.slice(0, 3)).toEqual(['  23 s  long.test.ts', '  20 s  edge.test.ts', '  11 s  11.test.ts'])
  expect(lines.at(-1)).toBe('slow: long.test.ts 23 s (more than 20 s)')
})

test('a browser file may take longer than a unit file', () => {
  expect(linesOfSlowFiles('browser', [{ file: 'a', ms: 60_000 }])).toEqual(['  60 s  a'])
  expect(linesOfSlowFiles('browser', [{ file: 'a', ms: 121_000 }])).toContain('slow: a 121 s (more than 120 s)')
})

test('the ten longest waits are told, each line of a test once', () => {
  const waits = Array.from({ length: 12 }, (_, at) => ({ at: `a.e2e.ts:${at}`, what: 'toBeVisible', ms: at * 1000 }))
  const again = { at: 'a.e2e.ts:3', what: 'toBeVisible', ms: 30_040 }
  const lines = linesOfWaits([again, ...waits])
  expect(lines).toHaveLength(10)
  expect(lines.slice(0, 2)).toEqual(['  30.0 s  a.e2e.ts:3  toBeVisible', '  11.0 s  a.e2e.ts:11  toBeVisible'])
})
