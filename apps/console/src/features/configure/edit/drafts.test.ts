// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ltscopes } from '@mdm/contract'
import { CallFailed } from '../../../core/call-failed.ts'
import { putToken } from '../../../core/session-store.ts'
import { inputOf, refusalOf, useDraft } from './drafts.ts'

const group = (kid: string) => ({ ltscope: ltscopes.group, terminal_group_kid: kid })

it('keeps changes by level, takes one back, and forgets them with the session', () => {
  const first = renderHook(() => useDraft(group('a')))
  act(() => first.result.current.keep('ntp', { server: 'one.example' }))
  act(() => first.result.current.keep('kiosk', null))
  expect(first.result.current.sections).toEqual(['ntp', 'kiosk'])
  expect(renderHook(() => useDraft(group('b'))).result.current.sections).toEqual([])
  // Another page of the same level finds them.
  first.unmount()
  const again = renderHook(() => useDraft(group('a')))
  expect(inputOf(again.result.current.draft)).toEqual({ ntp: { server: 'one.example' }, resets: ['kiosk'] })
  act(() => again.result.current.undo('kiosk'))
  expect(inputOf(again.result.current.draft)).toEqual({ ntp: { server: 'one.example' } })
  act(() => putToken('another person'))
  expect(again.result.current.sections).toEqual([])
})

it('gives each section the part of a refusal that is about it, by the names of its fields', () => {
  const error = new CallFailed(40, 'Wrong', { 'ntp.server': 'Too long', 'kiosk.apps.0': 'Not a package' })
  expect(refusalOf(error, 'ntp')?.fields).toEqual({ server: 'Too long' })
  expect(refusalOf(error, 'kiosk')?.fields).toEqual({ 'apps.0': 'Not a package' })
  expect(refusalOf(error, 'proxy')).toBeNull()
  expect(refusalOf(null, 'ntp')).toBeNull()
})
