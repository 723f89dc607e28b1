// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import i18next from 'i18next'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PageHead } from './PageHead.tsx'

beforeEach(() => i18next.use(initReactI18next).init({ lng: 'vi', resources: {} }))
afterEach(cleanup)

test('the title of a page is its one heading and names the tab of the browser until the page is left', () => {
  const { unmount } = render(
    <I18nextProvider i18n={i18next}>
      <PageHead title="Thiết bị" />
    </I18nextProvider>,
  )
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Thiết bị')
  expect(screen.getAllByRole('heading')).toHaveLength(1)
  expect(document.title).toBe('Thiết bị · MDM')
  unmount()
  expect(document.title).toBe('MDM')
})
