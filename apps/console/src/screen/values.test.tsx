// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useSessionStore } from '../session-store.ts'
import { Bytes, Unit } from './values.tsx'

afterEach(cleanup)
const textOf = (part: React.ReactElement) => render(part).container.textContent

test('a number and its unit are two words, for whoever copies them or has them read aloud', () => {
  useSessionStore.setState({ language: 'en' })
  expect(textOf(<Unit value={87} unit="%" />)).toBe('87\u00a0%')
  expect(textOf(<Bytes value={1536} />)).toBe('1.5\u00a0KB')
  expect(textOf(<Bytes value={0} />)).toBe('0\u00a0B')
  expect(textOf(<Unit value="1,024" unit="" />)).toBe('1,024')
})
