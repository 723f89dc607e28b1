// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useSessionStore } from '../../core/session-store.ts'
import { Ago, Bytes, Count, Unit } from './values.tsx'

afterEach(cleanup)
const textOf = (part: React.ReactElement) => render(part).container.textContent

test('numbers are written as the language writes them', () => {
  for (const [language, share, size, count] of [
    ['en', '60.7\u00a0%', '1.5\u00a0KB', '12,345'],
    ['vi', '60,7\u00a0%', '1,5\u00a0KB', '12.345'],
    ['zh-cn', '60.7\u00a0%', '1.5\u00a0KB', '12,345'],
  ] as const) {
    useSessionStore.setState({ language })
    expect(textOf(<Unit value={60.7} unit="%" />)).toBe(share)
    cleanup()
    expect(textOf(<Bytes value={1536} />)).toBe(size)
    cleanup()
    expect(textOf(<Count value={12_345} />)).toBe(count)
    cleanup()
  }
})

test('a time in the past says how long ago it was', () => {
  const at = new Date(Date.now() - 2 * 3_600_000 - 5_000).toISOString()
  for (const [language, words] of [
    ['en', /^2 ?hr? ago$/],
    ['vi', /^2 giờ trước$/],
    ['zh-cn', /^2 ?小时前$/],
  ] as const) {
    useSessionStore.setState({ language })
    expect(textOf(<Ago at={at} />)).toMatch(words)
    cleanup()
  }
})

test('a number and its unit are two words, for whoever copies them or has them read aloud', () => {
  useSessionStore.setState({ language: 'en' })
  expect(textOf(<Unit value={87} unit="%" />)).toBe('87\u00a0%')
  expect(textOf(<Bytes value={1536} />)).toBe('1.5\u00a0KB')
  expect(textOf(<Bytes value={0} />)).toBe('0\u00a0B')
  expect(textOf(<Unit value="1,024" unit="" />)).toBe('1,024')
})
