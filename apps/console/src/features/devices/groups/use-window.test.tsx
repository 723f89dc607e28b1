// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useWindow } from './use-window.ts'
import { stubLayout } from '../../../lib/no-layout.ts'

afterEach(cleanup)

type Parts = ReturnType<typeof useWindow>['parts']
/** What is drawn of a list of so many rows that is scrolled to `top` and shows `height` pixels. */
function partsOf(count: number, { top, height }: { top: number; height: number }, kept: number): Parts {
  stubLayout()
  const element = document.createElement('ul')
  Object.defineProperties(element, {
    clientHeight: { value: height },
    clientWidth: { value: 200 },
  })
  const list = { current: element }
  const { result } = renderHook(() => useWindow(list, count, kept))
  act(() => {
    element.scrollTop = top
    element.dispatchEvent(new Event('scroll'))
  })
  return result.current.parts
}

const heightOf = (parts: Parts) =>
  parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 28 : part.height), 0)
const drawn = (parts: Parts) => parts.filter((part) => typeof part === 'number')

test.each([0, 1, 14_000, 139_000, 1_000_000])(
  'at %i pixels only the rows in sight are drawn, and the height stays',
  (top) => {
    const parts = partsOf(5000, { top, height: 560 }, 4321)
    expect(heightOf(parts)).toBe(5000 * 28)
    expect(drawn(parts).length).toBeLessThan(60)
    expect(drawn(parts)).toContain(4321)
  },
)

test('a short list is drawn whole, an empty one not at all', () => {
  expect(partsOf(3, { top: 0, height: 560 }, 0)).toEqual([0, 1, 2])
  expect(partsOf(0, { top: 0, height: 560 }, -1)).toEqual([])
})

test('the rows in sight are drawn', () => {
  expect(drawn(partsOf(5000, { top: 2800, height: 280 }, 100))).toEqual(expect.arrayContaining([100, 104, 109]))
})
