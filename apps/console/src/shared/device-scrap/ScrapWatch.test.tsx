// @vitest-environment jsdom
import { render } from '@testing-library/react'
import type { ScrapSchedule } from '@mdm/contract'
import { beforeAll, expect, test, vi } from 'vitest'
import { useNotices } from '../../core/notices.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { useTray } from '../../core/tray.ts'
import { loadTexts, startTexts } from '../../i18n/i18n.ts'
import { ScrapWatch } from './ScrapWatch.tsx'

beforeAll(async () => {
  useSessionStore.setState({ language: 'en', token: 't', account_kid: 'a' })
  await startTexts()
  await loadTexts(['device-scrap'])
})

test('devices that wait stand in the tray of a page that has just come, until somebody stops it', async () => {
  const waiting = {
    schedule_version: 'v',
    state: 'waiting',
    total: 10,
    due_in_seconds: 42,
    is_own: true,
    created_by: 'Linh',
    canceled_by: null,
  } as ScrapSchedule
  let told: ScrapSchedule = waiting
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ result: 1, message: '', data: [told] })))
  render(<ScrapWatch schedule={waiting} />)
  await vi.waitFor(() => expect(useTray.getState().works).toHaveLength(1))
  const { title, countdown, done, total } = useTray.getState().works[0]!
  expect({ title, done, total }).toEqual({ title: 'Scrapping 10 devices', done: 18, total: 60 })
  expect(countdown?.title('0:42')).toBe('10 devices will be scrapped in 0:42')
  told = { ...waiting, state: 'canceled', canceled_by: 'An' }
  await vi.waitFor(() => expect(useTray.getState().works).toEqual([]))
  expect(useNotices.getState().notices.map(({ text }) => text)).toEqual(['An stopped the scrapping: 10 devices stay.'])
})
