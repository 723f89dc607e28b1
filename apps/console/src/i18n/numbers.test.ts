// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { useSessionStore } from '../core/session-store.ts'
import { startTexts } from './i18n.ts'
import { translate } from './translate.ts'

const before = useSessionStore.getState().language
afterEach(() => useSessionStore.setState({ language: before }))

test('numbers in sentences are written as their language writes them', async () => {
  useSessionStore.setState({ language: 'vi' })
  await startTexts()
  expect(translate('common:list.select_all', { total: 12_345 } as never)).toBe('Chọn tất cả 12.345 kết quả khớp')
  expect(translate('common:list.page_only', { page: '7' } as never)).toBe('Trang 7')
})

test('a name that runs from right to left keeps the words around it in place', async () => {
  useSessionStore.setState({ language: 'en' })
  await startTexts()
  expect(translate('common:list.select_row', { name: 'Kho 7' } as never)).toBe('Select Kho 7')
  expect(translate('common:list.select_row', { name: 'מחסן 7' } as never)).toBe('Select \u2068מחסן 7\u2069')
})
