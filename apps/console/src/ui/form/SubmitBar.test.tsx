// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { texts as common } from '../../i18n/common/texts/en.ts'
import { SubmitBar } from './SubmitBar.tsx'

beforeAll(() => i18next.use(initReactI18next).init({ lng: 'en', resources: { en: { common } } }))
afterEach(cleanup)

test('what it does comes first, then the way out, then the step back', () => {
  const previous = { text: 'Previous step', onClick: () => {} }
  render(<SubmitBar submit="Next step" onCancel={() => {}} previous={previous} />)
  expect(screen.getAllByRole('button').map((it) => it.textContent)).toEqual(['Next step', 'Cancel', 'Previous step'])
})

test('what is not possible yet says why, and does nothing', async () => {
  const onSubmit = vi.fn<() => void>()
  render(<SubmitBar submit="Push" onSubmit={onSubmit} disabled_reason="Choose devices first." />)
  const button = screen.getByRole('button', { name: 'Push' })
  await userEvent.setup().click(button)
  expect(onSubmit).not.toHaveBeenCalled()
  const why = document.getElementById(button.getAttribute('aria-describedby') ?? '')
  expect(why?.textContent).toBe('Choose devices first.')
})
