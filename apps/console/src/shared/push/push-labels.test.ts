// @vitest-environment jsdom
import { renderHook } from '@testing-library/react'
import { createInstance } from 'i18next'
import { createElement } from 'react'
import type { PropsWithChildren } from 'react'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { expect, test } from 'vitest'
import { usePushLabels } from './push-labels.ts'
import { texts as en } from './texts/en.ts'
import { texts as vi } from './texts/vi.ts'
import { texts as zh_cn } from './texts/zh-cn.ts'

test.each([
  ['en', en, 'There is not enough space on the device.', 'The device says: “/data is full”'],
  ['vi', vi, 'Thiết bị không đủ dung lượng trống.', 'Thiết bị báo: “/data is full”'],
  ['zh-cn', zh_cn, '设备存储空间不足。', '设备报告：“/data is full”'],
] as const)('why it failed is said in %s; what the device says itself is quoted', async (lng, texts, known, quoted) => {
  const i18n = createInstance().use(initReactI18next)
  const resources = { [lng]: { push: texts } }
  await i18n.init({ lng, lowerCaseLng: true, resources, interpolation: { escapeValue: false } })
  const wrapper = ({ children }: PropsWithChildren) => createElement(I18nextProvider, { i18n }, children)
  const own = 'Was put into a drawer'
  const { reason } = renderHook(() => usePushLabels(), { wrapper }).result.current
  expect(reason({ code: 'no_space', message: '/data is full' })).toBe(`${known} ${quoted}`)
  expect(reason({ code: 'no_space', message: null })).toBe(known)
  // A report after the end carries the code in the place of words.
  expect(reason({ code: null, message: 'no_space' })).toBe(known)
  expect(reason({ code: 'drawer', message: own })).toBe(`drawer ${quoted.replace('/data is full', own)}`)
  expect(reason({ code: null, message: null })).toBe(undefined)
})
