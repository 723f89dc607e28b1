import { expect, it } from 'vitest'
import { Instant } from './wire.ts'

it.each([
  ['2026-03-01T08:00:00+07:00', '2026-03-01T01:00:00.000Z'],
  ['2026-03-01T08:00:00.123-0330', '2026-03-01T11:30:00.123Z'],
  ['9999-12-31T23:59:59-12:00', '9999-12-31T00:00:00.000Z'],
  ['2026-03-01T08:00:00Z', '2026-03-01T08:00:00Z'],
])('a device that says %s is read as %s, not answered with a failure', (said, shown) => {
  expect(Instant.parse(said)).toBe(shown)
})

it.each(['', 'yesterday', '2026-03-01', '2026-03-01T08:00:00', 'x+07:00'])('%j is no instant', (said) => {
  expect(Instant.safeParse(said).success).toBe(false)
})
