import { expect, test } from 'vitest'
import { captureName } from './capture-name.ts'

const at = '2026-11-21T20:15:03.500Z'
const nameOf = (sn: string, zone = 'UTC') => captureName({ sn, state_at: at }, zone)

test('the file name of a screenshot says device, day and time, as the page shows them', () => {
  expect(nameOf('A-01')).toBe('A-01-2026-11-21-201503.png')
  expect(nameOf('A-01', 'Asia/Ho_Chi_Minh')).toBe('A-01-2026-11-22-031503.png')
  expect(nameOf('Máy 3')).toBe('Máy-3-2026-11-21-201503.png')
  expect(nameOf('设备7')).toBe('设备7-2026-11-21-201503.png')
})

test.each([
  ['../../etc/passwd', 'etc-passwd'],
  ['C:\\x"<y>|z?*', 'C-x-y-z'],
  ['.hidden', 'hidden'],
  ['a\u202egnp.exe', 'a-gnp.exe'],
  ['a\0b\nc', 'a-b-c'],
  ['$(rm) `x`; y', 'rm-x-y'],
  ['x'.repeat(1000), 'x'.repeat(60)],
])('an SN like %j is no danger', (sn, safe) => expect(nameOf(sn)).toBe(`${safe}-2026-11-21-201503.png`))

test.each(['', '...', '///'])('an SN like %j leaves day and time', (sn) =>
  expect(nameOf(sn)).toBe('2026-11-21-201503.png'),
)
