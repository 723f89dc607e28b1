// @vitest-environment jsdom
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { texts as common } from '../i18n/common/texts/en.ts'
import { texts as shell } from './texts/en.ts'
import { sha1 } from '../lib/sha1.ts'
import { queryClient } from '../core/queries.ts'
import { askPasswordAgain } from '../core/password-again.ts'
import { stubLayout } from '../lib/no-layout.ts'
import { useSessionStore } from '../core/session-store.ts'
import { PasswordDialog } from './PasswordDialog.tsx'

const wrong = { result: 41022, message: 'The password is wrong.', data: null }
const right = { result: 1, message: '', data: { confirmed_until: '2026-01-01T00:00:00.000Z' } }
let sent: unknown[]

beforeEach(async () => {
  sent = []
  stubLayout()
  // The edge of the world: what travels is looked at, what comes back is what the server says of one password. Nobody has a passkey.
  vi.stubGlobal('fetch', (path: string, { body }: RequestInit) => {
    if (!path.includes('/confirm_password?'))
      return Promise.resolve(Response.json({ result: 1, message: '', data: [] }))
    const { password } = JSON.parse(String(body)) as { password: string }
    sent.push(password)
    return Promise.resolve(Response.json(password === sha1('Right-1!') ? right : wrong))
  })
  useSessionStore.setState({ token: 't', session: { username: 'olga', account_name: 'Sunrise' } as never })
  await i18next
    .use(initReactI18next)
    .init({ lng: 'en', resources: { en: { shell, common } }, interpolation: { escapeValue: false } })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function open() {
  render(
    <QueryClientProvider client={queryClient}>
      <I18nextProvider i18n={i18next}>
        <button>Delete devices</button>
        <PasswordDialog />
      </I18nextProvider>
    </QueryClientProvider>,
  )
  const button = screen.getByRole('button', { name: 'Delete devices' })
  button.focus()
  const answers: boolean[] = []
  act(() => void askPasswordAgain('Deregister devices').then((is_confirmed) => answers.push(is_confirmed)))
  return { button, answers }
}

test('the keyboard is enough: a wrong password is told and can be typed over, the right one goes on', async () => {
  const user = userEvent.setup()
  const { button, answers } = open()
  const field = await screen.findByLabelText('Password of olga')
  await waitFor(() => expect(document.activeElement).toBe(field))
  expect(screen.getByRole('dialog').textContent).toContain('“Deregister devices”')

  await user.keyboard('{Enter}')
  expect(screen.getByRole('alert').textContent).toBe('Enter your password.')
  expect(sent).toEqual([])

  await user.keyboard('wrong{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('The password is wrong.')
  expect(document.activeElement).toBe(field)
  expect(answers).toEqual([])

  await user.clear(field)
  await user.keyboard('Right-1!{Enter}')
  await waitFor(() => expect(answers).toEqual([true]))
  expect(sent).toEqual([sha1('wrong'), sha1('Right-1!')])
  await waitFor(() => expect(document.activeElement).toBe(button))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('Escape and Cancel leave it, and the focus returns', async () => {
  const user = userEvent.setup()
  const { button, answers } = open()
  await screen.findByRole('dialog')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(answers).toEqual([false]))
  await waitFor(() => expect(document.activeElement).toBe(button))

  act(() => void askPasswordAgain('Deregister devices').then((is_confirmed) => answers.push(is_confirmed)))
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(answers).toEqual([false, false]))
  expect(sent).toEqual([])
})
