// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { Input } from 'antd'
import type { ReactNode } from 'react'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { texts as common } from '../../i18n/common/texts/en.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { stubLayout } from '../../lib/no-layout.ts'
import { ConfirmDanger } from './ConfirmDanger.tsx'
import { Dialog } from './Dialog.tsx'

beforeAll(async () => {
  // jsdom lays nothing out.
  HTMLElement.prototype.checkVisibility ??= () => true
  await i18next.use(initReactI18next).init({ lng: 'en', resources: { en: { common } } })
})
beforeEach(() => {
  stubLayout()
  useSessionStore.setState({ session: { account_name: 'Sunrise' } as never })
})
afterEach(cleanup)

const question = (word?: 'DELETE', body?: ReactNode) => (
  <ConfirmDanger
    title="Delete the webhook Orders?"
    submit="Delete"
    loading={false}
    submitError={null}
    onConfirm={() => {}}
    onClose={() => {}}
    {...(word && { word })}
  >
    {body}
  </ConfirmDanger>
)
const isAt = (name: string) => expect(document.activeElement).toBe(screen.getByRole('button', { name }))
const isAtField = (name: string) => expect(document.activeElement).toBe(screen.getByLabelText(name))

test('a question before something is deleted begins at the button that does nothing', async () => {
  render(question())
  await waitFor(() => isAt('Cancel'))
})

test('where a word has to be typed first it begins at its field, and where something else is to be filled in there', async () => {
  render(question('DELETE'))
  await waitFor(() => isAtField('Type DELETE to confirm'))
  cleanup()
  render(question(undefined, <Input aria-label="Reason" />))
  await waitFor(() => isAtField('Reason'))
})

test('what asks for the focus itself has it', async () => {
  render(<Dialog title="Enter Sunrise?" okText="Enter" okButtonProps={{ autoFocus: true }} />)
  await waitFor(() => isAt('Enter'))
})
