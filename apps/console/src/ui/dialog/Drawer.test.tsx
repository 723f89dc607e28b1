// @vitest-environment jsdom
import { cleanup, fireEvent, render, waitFor } from '@testing-library/react'
import { Input } from 'antd'
import type { ReactNode } from 'react'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { Drawer } from './Drawer.tsx'

beforeAll(() => {
  // jsdom lays nothing out.
  HTMLElement.prototype.checkVisibility ??= () => true
})
afterEach(cleanup)

const drawer = (body: ReactNode) => (
  <Drawer title="Depot" onClose={() => {}}>
    {body}
  </Drawer>
)
const focused = () => (document.activeElement as HTMLElement | null)?.getAttribute('aria-label')
const isAtTitle = () => expect(document.activeElement?.textContent).toBe('Depot')

test('begins at its first field that can be filled in', async () => {
  render(
    drawer(
      <>
        <button aria-label="Add" />
        <Input aria-label="Kept" disabled />
        <Input aria-label="Name" />
        <Input aria-label="Place" />
      </>,
    ),
  )
  await waitFor(() => expect(focused()).toBe('Name'))
})

test('begins at its title where nothing is to be filled in, and goes on to a field that comes later', async () => {
  const { rerender } = render(drawer(<button aria-label="Add" />))
  await waitFor(isAtTitle)
  rerender(drawer(<Input aria-label="Name" />))
  await waitFor(() => expect(focused()).toBe('Name'))
})

test('leaves alone what asked for the focus itself', async () => {
  render(
    drawer(
      <>
        <Input aria-label="Name" />
        <Input aria-label="Code" autoFocus />
      </>,
    ),
  )
  await waitFor(() => expect(focused()).toBe('Code'))
})

test('leaves alone whoever has pressed a key', async () => {
  const { rerender } = render(drawer(<p>On its way</p>))
  await waitFor(isAtTitle)
  fireEvent.keyDown(document.activeElement!, { key: 'Tab' })
  rerender(drawer(<Input aria-label="Late" />))
  await waitFor(() => expect(document.querySelector('[aria-label=Late]')).not.toBeNull())
  await new Promise((done) => requestAnimationFrame(done))
  isAtTitle()
})
