import { expect, test } from 'vitest'
import { activationStates, nextActivation } from './activation.ts'
import type { ActivationEvent, ActivationState } from './activation.ts'

const events: ActivationEvent[] = ['confirm', 'fail', 'expire', 'eliminate', 'renew']
/** In the order of `events`; a dash where nothing may happen. */
const grid: Record<ActivationState, string> = {
  activating: 'activated error expired eliminated activating',
  activated: 'activated error expired eliminated activating',
  error: 'activated error expired eliminated activating',
  expired: '- - - eliminated activating',
  eliminated: '- - - - -',
}

test.each(activationStates)('%s', (state) => {
  expect(events.map((event) => nextActivation(state, event) ?? '-').join(' ')).toBe(grid[state])
})
