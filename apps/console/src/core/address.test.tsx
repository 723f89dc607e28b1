// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { useIsAddressPending, useSearch } from './address.ts'

afterEach(cleanup)

test('a page that was asked for other parameters is pending until it shows them', async () => {
  let answer = () => {}
  function Page() {
    const [search, change] = useSearch()
    const is_pending = useIsAddressPending()
    const filter = () => change((before) => new URLSearchParams([...before, ['model', 'MT-90']]))
    return (
      <button aria-busy={is_pending} onClick={filter}>
        {search.get('model') ?? 'all'}
      </button>
    )
  }
  const router = createMemoryRouter([
    // Answers the first navigation at once, the next when told to.
    { path: '/', Component: Page, loader: () => new Promise((resolve) => (answer = () => resolve(null))) },
  ])
  render(<RouterProvider router={router} />)
  await act(async () => answer())
  const button = await screen.findByRole('button', { name: 'all' })
  expect(button.getAttribute('aria-busy')).toBe('false')
  await act(async () => button.click())
  expect(button.textContent).toBe('all')
  expect(button.getAttribute('aria-busy')).toBe('true')
  await act(async () => answer())
  await screen.findByRole('button', { name: 'MT-90' })
  expect(button.getAttribute('aria-busy')).toBe('false')
})
