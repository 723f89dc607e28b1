// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { useSessionStore } from '../core/session-store.ts'
import { listText, sentences } from './list-text.ts'

const before = useSessionStore.getState().language
afterEach(() => useSessionStore.setState({ language: before }))

test.each([
  ['en', 'Lan, Minh, Vy'],
  ['vi', 'Lan, Minh, Vy'],
  ['zh-cn', 'Lan、Minh、Vy'],
] as const)('names in %s are separated as its readers do it', (language, written) => {
  useSessionStore.setState({ language })
  expect(listText(['Lan', '', 'Minh', false, 'Vy', null, undefined])).toBe(written)
  expect(listText(['Lan'])).toBe('Lan')
  expect(listText([])).toBe('')
})

test('sentences have a space between them, in Chinese none', () => {
  useSessionStore.setState({ language: 'en' })
  expect(sentences('It failed.', '', undefined, 'Retry.')).toBe('It failed. Retry.')
  useSessionStore.setState({ language: 'zh-cn' })
  expect(sentences('失败。', null, '请重试。')).toBe('失败。请重试。')
})
