import { expect, it } from 'vitest'
import { isWithin, zoneIn } from './window.ts'

const at = Date.parse('2026-11-27T22:30:00Z')

it.each([
  [{ from: '22:00', to: '23:00' }, 'UTC', true],
  [{ from: '22:30', to: '23:00' }, 'UTC', true],
  [{ from: '22:00', to: '22:30' }, 'UTC', false],
  [{ from: '23:00', to: '06:00' }, 'UTC', false],
  [{ from: '23:00', to: '06:00' }, 'Asia/Ho_Chi_Minh', true],
  [{ from: '22:00', to: '05:00' }, 'Asia/Ho_Chi_Minh', false],
  // 2026-11-27 is a Friday; in Vietnam it is Saturday already.
  [{ from: '22:00', to: '23:00', days: [5] }, 'UTC', true],
  [{ from: '22:00', to: '23:00', days: [6] }, 'UTC', false],
  [{ from: '23:00', to: '06:00', days: [5] }, 'Asia/Ho_Chi_Minh', true],
  [{ from: '23:00', to: '06:00', days: [6] }, 'Asia/Ho_Chi_Minh', false],
])('a window %o in %s', (window, zone, is_open) => {
  expect(isWithin(window, at, zone)).toBe(is_open)
})

it('takes no zone that is none', () => {
  expect([zoneIn('Asia/Ho_Chi_Minh'), zoneIn('Mars/Base'), zoneIn(''), zoneIn(undefined)]).toEqual([
    'Asia/Ho_Chi_Minh',
    undefined,
    undefined,
    undefined,
  ])
})
