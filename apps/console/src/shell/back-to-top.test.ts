import { expect, test } from 'vitest'
import { isFarDown } from './BackToTop.tsx'

test('the way back to the top appears at 100 px', () => {
  expect([0, 99, 99.5, 100, 101].map(isFarDown)).toEqual([false, false, false, true, true])
})
