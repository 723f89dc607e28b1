// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import i18next from 'i18next'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { texts } from './texts/en.ts'
import { sessionState, useSessionStore } from '../../core/session-store.ts'
import { CodeStep } from './CodeStep.tsx'

const wrong = { result: 41005, message: 'The code is wrong or was already used.', data: null }
const expired = { result: 41006, message: 'This took too long. Please sign in again.', data: null }
const session = { result: 1, message: '', data: { token: 'f'.repeat(64), username: 'olga', account_kid: 'a' } }
const answers: Record<string, unknown> = { '123456': session, 'aaaa-bbbb-cccc': session, '999999': expired }
let sent: unknown[]

beforeEach(async () => {
  sent = []
  // The edge of the world: what travels is looked at, what comes back is what the server says of each code.
  vi.stubGlobal('fetch', (_path: string, { body }: RequestInit) => {
    const input = JSON.parse(String(body)) as { totp_code: string }
    sent.push(input)
    return Promise.resolve(Response.json(answers[input.totp_code] ?? wrong))
  })
  useSessionStore.setState({ token: null, session: null, language: 'en' })
  await i18next.use(initReactI18next).init({ lng: 'en', resources: { en: { 'sign-in': texts } } })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function open() {
  const onDone = vi.fn<() => void>()
  const onBack = vi.fn<(told: string | null) => void>()
  render(
    <I18nextProvider i18n={i18next}>
      <CodeStep
        asked={{ totp_token: 'step', expires_at: '2026-01-01T00:05:00.000Z' }}
        onDone={onDone}
        onBack={onBack}
      />
    </I18nextProvider>,
  )
  return { onDone, onBack, user: userEvent.setup() }
}
const field = (name: string) => screen.getByLabelText(name)

test('six digits that are pasted, with a gap or without, are sent at once', async () => {
  const { onDone, user } = open()
  expect(document.activeElement).toBe(field(texts.code))
  expect(field(texts.code).getAttribute('autocomplete')).toBe('one-time-code')
  await user.paste('123 456')
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
  expect(sent).toEqual([{ totp_token: 'step', totp_code: '123456' }])
  expect(sessionState().token).toBe('f'.repeat(64))
})

test('a wrong code is told, and typing replaces it', async () => {
  const { onDone, onBack, user } = open()
  await user.keyboard('11111')
  expect(sent).toEqual([])
  await user.keyboard('1')
  expect((await screen.findByRole('alert')).textContent).toBe(wrong.message)
  expect(document.activeElement).toBe(field(texts.code))
  await user.keyboard('123456')
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
  expect(sent.length).toBe(2)
  expect(onBack).not.toHaveBeenCalled()
})

test('a step that is over leads back to the password with the reason', async () => {
  const { onDone, onBack, user } = open()
  await user.paste('999999')
  await waitFor(() => expect(onBack).toHaveBeenCalledWith(expired.message))
  expect(onDone).not.toHaveBeenCalled()
  expect(sessionState().token).toBeNull()
})

test('a recovery code is sent by Enter, not while it is typed', async () => {
  const { onDone, user } = open()
  await user.click(screen.getByRole('button', { name: texts.use_recovery }))
  expect(document.activeElement).toBe(field(texts.recovery))
  await user.keyboard('{Enter}')
  expect(screen.getByText(texts.recovery_required)).toBeTruthy()
  await user.keyboard('aaaa-bbbb-cccc')
  expect(sent).toEqual([])
  await user.keyboard('{Enter}')
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
  expect(sent).toEqual([{ totp_token: 'step', totp_code: 'aaaa-bbbb-cccc' }])
})
