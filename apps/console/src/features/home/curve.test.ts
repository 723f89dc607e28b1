import { expect, test } from 'vitest'
import { curveOf } from './curve.ts'

const size = { width: 240, height: 11 }

test('the curve of a day ends now, and its highest point is the top', () => {
  const curve = curveOf(
    [
      { at: '2026-01-01T12:00:00.000Z', online: 0 },
      { at: '2026-01-02T00:00:00.000Z', online: 10 },
      { at: '2026-01-02T12:00:00.000Z', online: 5 },
    ],
    size,
  )
  expect(curve).toEqual({
    min: 0,
    max: 10,
    last: 5,
    from: Date.parse('2026-01-01T12:00:00.000Z'),
    until: Date.parse('2026-01-02T12:00:00.000Z'),
    line: 'M0.0,11.0L120.0,1.0L240.0,6.0',
    area: 'M0.0,11.0L120.0,1.0L240.0,6.0L240.0,11L0.0,11Z',
  })
})

test('a day with no device online is a line at the bottom, and one of which nothing is known is no curve', () => {
  expect(curveOf([{ at: '2026-01-02T12:00:00.000Z', online: 0 }], size)?.line).toBe('M240.0,11.0')
  expect(curveOf([], size)).toBeUndefined()
})
