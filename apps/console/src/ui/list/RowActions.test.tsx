// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Session } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { RowActions } from './RowActions.tsx'
import type { RowAction } from './RowActions.tsx'
import { stubLayout } from '../../lib/no-layout.ts'

beforeEach(() => {
  useSessionStore.setState({ session: { permissions: ['policyList', 'policyList:edit'] } as unknown as Session })
  stubLayout()
})
afterEach(cleanup)

const show = (actions: RowAction[]) =>
  render(
    <MemoryRouter>
      <RowActions name="Two years" actions={actions} />
    </MemoryRouter>,
  )
const nothing = () => {}

test('a row action that the person may not do is absent, and so is a menu of it', () => {
  show([
    { needs: 'policyList:import', text: 'Import', label: 'Import: Two years', onSelect: nothing },
    { needs: 'policyList:edit', text: 'Edit', label: 'Edit: Two years', onSelect: nothing },
    { needs: 'policyList:delete', label: 'Delete', danger: true, onSelect: nothing },
  ])
  expect(screen.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual(['Edit: Two years'])
})

test('a row action that the state forbids does nothing and says why, in the menu as beside it', async () => {
  const onSelect = vi.fn()
  const disabled_reason = 'Devices have it.'
  show([
    { text: 'Renew', label: 'Renew: Two years', disabled_reason, onSelect },
    { label: 'Edit', onSelect: nothing },
    { label: 'Delete', danger: true, disabled_reason, onSelect },
  ])
  const [renew, menu] = screen.getAllByRole('button')
  expect(renew!.getAttribute('aria-disabled')).toBe('true')
  expect(document.getElementById(renew!.getAttribute('aria-describedby')!)!.textContent).toBe(disabled_reason)
  await userEvent.click(renew!)
  await userEvent.click(menu!)
  const items = await within(document.body).findAllByRole('menuitem')
  expect(items.map((item) => [item.textContent, item.getAttribute('aria-disabled')])).toEqual([
    ['Edit', 'false'],
    [`Delete ${disabled_reason}`, 'true'],
  ])
  await userEvent.click(items[1]!)
  expect(onSelect).not.toHaveBeenCalled()
})

test('a place to go to is a link, an act a button', () => {
  show([
    { icon: '↗', label: 'Deliveries of Orders', to: '/webhook-list?webhook=1' },
    { icon: '×', label: 'Delete Orders', onSelect: nothing },
  ])
  expect(screen.getByRole('link', { name: 'Deliveries of Orders' }).getAttribute('href')).toBe(
    '/webhook-list?webhook=1',
  )
  expect(screen.getByRole('button', { name: 'Delete Orders' })).toBeTruthy()
})
