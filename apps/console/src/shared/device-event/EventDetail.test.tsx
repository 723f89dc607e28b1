// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { useSessionStore } from '../../core/session-store.ts'
import { texts as push_en } from '../push/texts/en.ts'
import { texts as push_vi } from '../push/texts/vi.ts'
import { texts as push_zh } from '../push/texts/zh-cn.ts'
import { texts as en } from './texts/en.ts'
import { texts as vi } from './texts/vi.ts'
import { texts as zh } from './texts/zh-cn.ts'
import { EventDetail } from './EventDetail.tsx'

beforeAll(() =>
  i18next.use(initReactI18next).init({
    lng: 'en',
    interpolation: { escapeValue: false },
    resources: {
      en: { 'device-event': en, push: push_en },
      vi: { 'device-event': vi, push: push_vi },
      'zh-cn': { 'device-event': zh, push: push_zh },
    },
    lowerCaseLng: true,
  }),
)
afterEach(cleanup)

const of_fence = { fence_kid: '0198c0de-f001-7abc-8def-0123456789ab', fence_version: 3, fence: 'Depot' }
const shown = (detail: Record<string, unknown>, type = 'fence_action', without?: readonly string[]) =>
  [
    ...render(<EventDetail of={{ type, detail }} {...(without && { without })} />, {
      wrapper: MemoryRouter,
    }).container.querySelectorAll('.event-detail > span'),
  ].map(({ textContent }) => textContent)

test.each([
  ['en', 'Locked', 'Could not ring: The device cannot do this. The device says: “no bell”', 'fence Depot'],
  ['vi', 'Đã khóa', 'Không đổ chuông được: Thiết bị không hỗ trợ thao tác này. ', 'hàng rào Depot'],
  ['zh-cn', '已锁定', '未能响铃：设备不支持此操作。', '围栏 Depot'],
] as const)('what a fence made the device do is a sentence in %s', async (language, locked, unrung, fence) => {
  await i18next.changeLanguage(language)
  useSessionStore.setState({ language })
  expect(shown({ ...of_fence, action: 'lock', outcome: 'done' })).toEqual([locked, fence])
  cleanup()
  const failed = { action: 'ring', outcome: 'failed', reason: 'not_supported', message: 'no bell' }
  const [sentence, ...rest] = shown({ ...of_fence, ...failed })
  expect(sentence).toContain(unrung)
  expect(sentence).toContain('no bell')
  expect(rest).toEqual([fence])
})

test.each([
  ['en', 'Lock pushed Open the push', 'Could not push the ring: No.'],
  ['vi', 'Đã đẩy lệnh khóa Mở lượt đẩy', 'Không đẩy được lệnh đổ chuông: No.'],
  ['zh-cn', '已推送锁定 打开推送', '未能推送响铃：No.'],
] as const)(
  'a push that the server made for a fence is a sentence that leads to it in %s',
  async (language, pushed, not) => {
    await i18next.changeLanguage(language)
    useSessionStore.setState({ language })
    const push_task_kid = '0198c0de-f002-7abc-8def-0123456789ab'
    const made = { ...of_fence, action: 'lock', outcome: 'pushed', push_task_kid }
    expect(shown(made, 'fence_action', ['fence'])).toEqual([pushed])
    expect(screen.getByRole('link').getAttribute('href')).toBe(`/push-task-detail?kid=${push_task_kid}`)
    cleanup()
    // The sentence is the server's, in the person's language.
    const refused = { ...of_fence, action: 'ring', outcome: 'not_pushed', reason: 'no_permission', message: 'No.' }
    expect(shown(refused, 'fence_action', ['fence'])).toEqual([not])
    cleanup()
    // A link is of a push that was made, whatever else a device says.
    shown({ ...made, outcome: 'done' })
    expect(screen.queryByRole('link')).toBeNull()
  },
)

test('what nobody knows is shown as the device sent it, and never as markup or a text of the console', async () => {
  await i18next.changeLanguage('en')
  useSessionStore.setState({ language: 'en' })
  expect(shown({ action: 'explode', outcome: 'done' })).toEqual(['action explode', 'outcome done'])
  cleanup()
  expect(shown({ action: { a: 1 }, outcome: 'done', reason: 7 })).toEqual([
    'action {"a":1}',
    'outcome done',
    'reason 7',
  ])
  cleanup()
  expect(shown({ action: 'lock', outcome: 'failed', reason: '<b>__proto__</b>' })).toEqual([
    'Could not lock: <b>__proto__</b>',
  ])
  cleanup()
  expect(shown({ action: 'lock', outcome: 'done' }, 'fence_out')).toEqual(['action lock', 'outcome done'])
})
