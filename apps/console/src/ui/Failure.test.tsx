// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { errors, pages } from '@mdm/contract'
import { CallFailed } from '../core/call-failed.ts'
import { Failure } from './Failure.tsx'

afterEach(cleanup)

const shown = (error: Error, is_line = false) => {
  const page = pages.pushTaskDetail
  const element = <Failure error={error} retry={() => {}} is_line={is_line} />
  const router = createMemoryRouter([{ path: page.path, handle: page, element }], { initialEntries: [page.path] })
  render(<RouterProvider router={router} />)
  return [screen.queryByRole('button') !== null, screen.queryByRole('link')?.getAttribute('href')]
}
const refused = (name: 'not_found' | 'device_not_found' | 'internal') =>
  new CallFailed(errors[name].result, errors[name].message.en)

test('what may pass is tried again; what does not exist leads back to its list', () => {
  expect(shown(refused('internal'))).toEqual([true, undefined])
  for (const name of ['not_found', 'device_not_found'] as const) {
    cleanup()
    expect(shown(refused(name))).toEqual([false, '/push-task-list'])
  }
  cleanup()
  expect(shown(new CallFailed(errors.bad_input.result, '', { kid: 'Wrong' }))).toEqual([false, '/push-task-list'])
})

test('a line beside what is there leads nowhere', () => {
  expect(shown(refused('not_found'), true)).toEqual([false, undefined])
})
