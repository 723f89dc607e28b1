/** Where an activation stands (specification, section 5). */
export const activationStates = ['activating', 'activated', 'expired', 'eliminated', 'error'] as const
export type ActivationState = (typeof activationStates)[number]
export type ActivationEvent = 'confirm' | 'fail' | 'expire' | 'eliminate' | 'renew'

/**
 * State x event -> state. Activating is issued and not yet known to be in use: a receipt of the server that was activated
 * confirms it or says what is wrong there. A renewal issues another code, which that server has to take up first.
 */
export const activationMoves = {
  activating: { confirm: 'activated', fail: 'error', expire: 'expired', eliminate: 'eliminated', renew: 'activating' },
  activated: { confirm: 'activated', fail: 'error', expire: 'expired', eliminate: 'eliminated', renew: 'activating' },
  error: { confirm: 'activated', fail: 'error', expire: 'expired', eliminate: 'eliminated', renew: 'activating' },
  expired: { eliminate: 'eliminated', renew: 'activating' },
  eliminated: {},
} as const satisfies Record<ActivationState, Partial<Record<ActivationEvent, ActivationState>>>

const moves: Record<ActivationState, Partial<Record<ActivationEvent, ActivationState>>> = activationMoves
export const nextActivation = (state: ActivationState, event: ActivationEvent): ActivationState | undefined =>
  moves[state][event]
