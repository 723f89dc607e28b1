// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { useSessionStore } from '../../../core/session-store.ts'
import { texts as push_en } from '../../../shared/push/texts/en.ts'
import { texts as push_vi } from '../../../shared/push/texts/vi.ts'
import { texts as push_zh } from '../../../shared/push/texts/zh-cn.ts'
import { texts as en } from '../texts/en.ts'
import { texts as vi } from '../texts/vi.ts'
import { texts as zh } from '../texts/zh-cn.ts'
import { EventDetail } from './EventDetail.tsx'

beforeAll(() =>
  i18next.use(initReactI18next).init({
    lng: 'en',
    interpolation: { escapeValue: false },
    resources: {
      en: { 'device-detail': en, push: push_en },
      vi: { 'device-detail': vi, push: push_vi },
      'zh-cn': { 'device-detail': zh, push: push_zh },
    },
    lowerCaseLng: true,
  }),
)
afterEach(cleanup)

const of_fence = { fence_kid: '0198c0de-f001-7abc-8def-0123456789ab', fence_version: 3, fence: 'Depot' }
const shown = (detail: Record<string, unknown>, type = 'fence_action') =>
  [...render(<EventDetail of={{ type, detail }} />).container.querySelectorAll('.event-detail > span')].map(
    ({ textContent }) => textContent,
  )

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
