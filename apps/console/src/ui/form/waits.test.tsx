// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { Input } from 'antd'
import { useState } from 'react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLayout } from '../../lib/no-layout.ts'
import { Field, FormPage } from './form.tsx'
import { useFormWaits } from './waits.ts'
import { Wizard } from './Wizard.tsx'

beforeEach(stubLayout)
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function Late() {
  const [is_late, setLate] = useState(false)
  useFormWaits(is_late)
  return (
    <button type="button" onClick={() => setLate(!is_late)}>
      Late
    </button>
  )
}
const show = (element: React.ReactElement) =>
  render(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />)

function openForm(onSubmit: () => unknown) {
  show(
    <FormPage
      title="Form"
      submit="Save"
      initial={{ name: 'a' }}
      loading={false}
      submitError={null}
      onSubmit={onSubmit}
      onCancel={() => undefined}
    >
      <Field name="name" label="Name">
        <Input />
      </Field>
      <Late />
    </FormPage>,
  )
  return () => fireEvent.submit(document.querySelector('form')!)
}

test('a form that is a page begins at its first field, and leaves who has pressed a key where they are', async () => {
  HTMLElement.prototype.checkVisibility ??= () => true
  openForm(() => undefined)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')))
  cleanup()
  openForm(() => undefined)
  fireEvent.keyDown(document.body, { key: 'Tab' })
  const field = screen.getByLabelText('Name')
  field.blur()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(document.activeElement).not.toBe(field)
})

test('a form that is sent twice in a row is sent once', async () => {
  let finish = () => {}
  const onSubmit = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)))
  const enter = openForm(onSubmit)
  await act(async () => enter())
  await act(async () => enter())
  expect(onSubmit).toHaveBeenCalledOnce()
  expect(screen.getByRole('button', { name: /Save/ }).className).toContain('ant-btn-loading')
  await act(async () => finish())
  await act(async () => enter())
  expect(onSubmit).toHaveBeenCalledTimes(2)
})

test('a form is not sent while the value of a field is on its way', async () => {
  const onSubmit = vi.fn()
  const enter = openForm(onSubmit)
  fireEvent.click(screen.getByText('Late'))
  await act(async () => enter())
  expect(onSubmit).not.toHaveBeenCalled()
  fireEvent.click(screen.getByText('Late'))
  await act(async () => enter())
  await waitFor(() => expect(onSubmit).toHaveBeenCalledOnce())
})

function openWizard(onNext: () => void) {
  const steps = [
    { key: 'one', title: 'One', content: <Late /> },
    ...[2, 3].map((n) => ({ key: `${n}`, title: `${n}`, content: null })),
  ]
  show(
    <Wizard
      title="Wizard"
      steps={steps}
      at={0}
      next="Go on"
      submit="Push"
      loading={false}
      submitError={null}
      onNext={onNext}
      onBack={() => undefined}
      onCancel={() => undefined}
    />,
  )
}

test('a step is not left while the value of a field is on its way', () => {
  const onNext = vi.fn()
  openWizard(onNext)
  fireEvent.click(screen.getByText('Late'))
  fireEvent.click(screen.getByRole('button', { name: /Go on/ }))
  expect(onNext).not.toHaveBeenCalled()
  fireEvent.click(screen.getByText('Late'))
  fireEvent.click(screen.getByRole('button', { name: /Go on/ }))
  expect(onNext).toHaveBeenCalledOnce()
})

test('a double click leaves one step, not two', () => {
  const onNext = vi.fn()
  openWizard(onNext)
  const button = screen.getByRole('button', { name: /Go on/ })
  fireEvent.click(button, { detail: 1 })
  fireEvent.click(button, { detail: 2 })
  expect(onNext).toHaveBeenCalledOnce()
})
