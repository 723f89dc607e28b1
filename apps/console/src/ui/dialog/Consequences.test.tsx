// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { texts as common } from '../../i18n/common/texts/en.ts'
import { api, useCall } from '../../core/api.ts'
import { queryClient } from '../../core/queries.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { stubLayout } from '../../lib/no-layout.ts'
import { ConfirmDanger } from './ConfirmDanger.tsx'
import { Consequences } from './Consequences.tsx'

type Answer = { result: number; message: string; data: unknown }
/** Answers of the server that have been asked for and not given. */
let asked: ((answer: Answer) => void)[]
const onConfirm = vi.fn()

beforeAll(async () => {
  HTMLElement.prototype.checkVisibility ??= () => true
  await i18next.use(initReactI18next).init({ lng: 'en', resources: { en: { common } } })
})
beforeEach(() => {
  asked = []
  onConfirm.mockClear()
  stubLayout()
  useSessionStore.setState({ token: 't', account_kid: 'a', session: { account_name: 'Sunrise' } as never })
  // The edge of the world: a server that answers when it is told to.
  vi.stubGlobal('fetch', async () => Response.json(await new Promise<Answer>((resolve) => asked.push(resolve))))
})
afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

function Delist() {
  const open = useCall(api.appCenter.open_tasks, { kid: 'app' }, { fresh: true })
  return (
    <ConfirmDanger
      title="Delist Maps?"
      submit="Delist"
      word="DELETE"
      loading={false}
      submitError={null}
      onConfirm={onConfirm}
      onClose={() => {}}
    >
      <Consequences of={open} rows={1}>
        {({ tasks }) => <p>{tasks} push tasks bring it.</p>}
      </Consequences>
    </ConfirmDanger>
  )
}
const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <Delist />
    </QueryClientProvider>,
  )
const button = () => screen.getByRole('button', { name: 'Delist' })
const reasons = () =>
  (button().getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent)
/** Whether a click and Enter, the word typed, carry it out. */
async function actsOn(): Promise<boolean> {
  const user = userEvent.setup()
  const word = screen.getByRole('textbox')
  await user.clear(word)
  await user.type(word, 'DELETE{Enter}')
  await user.click(button())
  return onConfirm.mock.calls.length > 0
}
const answer = async (given: Answer) => {
  await waitFor(() => expect(asked).toHaveLength(1))
  await act(async () => asked.pop()!(given))
}
const done = { result: 1, message: '', data: { tasks: 3, devices: 4, customers: 0 } }
const held = 'Wait until this dialog says what changes.'

test('an act waits until its dialog says what it does, and says why it waits', async () => {
  show()
  expect(button().getAttribute('aria-disabled')).toBe('true')
  expect(reasons()).toEqual(['Type DELETE to confirm', held])
  expect(await actsOn()).toBe(false)
  expect(reasons()).toEqual([held])
  await answer(done)
  expect(await screen.findByText('3 push tasks bring it.')).toBeTruthy()
  expect(button().getAttribute('aria-disabled')).toBe('false')
  expect(reasons()).toEqual([])
  expect(await actsOn()).toBe(true)
})

test('what could not be found out is told, can be asked again, and keeps nobody from the act', async () => {
  show()
  await answer({ result: 500, message: 'Something went wrong.', data: null })
  expect(await screen.findByText('What this changes could not be found out.')).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain('Something went wrong.')
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(reasons()).toContain(held)
  expect(await actsOn()).toBe(false)
  await answer({ result: 500, message: 'Something went wrong.', data: null })
  await screen.findByText('What this changes could not be found out.')
  expect(await actsOn()).toBe(true)
})

test('what was found out when the dialog was open before is asked again', async () => {
  show()
  await answer(done)
  await screen.findByText('3 push tasks bring it.')
  cleanup()
  show()
  expect(button().getAttribute('aria-disabled')).toBe('true')
  await answer({ ...done, data: { tasks: 0, devices: 0, customers: 0 } })
  expect(await screen.findByText('0 push tasks bring it.')).toBeTruthy()
})
