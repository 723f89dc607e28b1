import { afterEach, expect, test, vi } from 'vitest'
import type { Session } from '@mdm/contract'
import { browserZone, zoneOf } from './session.tsx'

const saying = (timeZone: string | undefined) =>
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    timeZone,
  } as Intl.ResolvedDateTimeFormatOptions)
afterEach(() => void vi.restoreAllMocks())
const chose = (zone_id: string | null) => ({ zone_id }) as Session

test('times are shown in the zone of the account, else of the browser', () => {
  saying('Asia/Saigon')
  expect(browserZone()).toBe('Asia/Ho_Chi_Minh')
  expect(zoneOf(chose(null))).toBe('Asia/Ho_Chi_Minh')
  expect(zoneOf(chose('Europe/Berlin'))).toBe('Europe/Berlin')
})

test.each(['Etc/Unknown', undefined, '', '+05:00'])('a browser whose zone is %s shows times of UTC', (said) => {
  saying(said)
  expect(browserZone()).toBeUndefined()
  expect(zoneOf(null)).toBe('UTC')
  expect(zoneOf(chose('Mars/Olympus'))).toBe('UTC')
})
