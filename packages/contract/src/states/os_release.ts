/** Where an OS version stands (specification, section 4). */
export const osReleaseStates = ['draft', 'pre_released', 'launched', 'offline'] as const
export type OsReleaseState = (typeof osReleaseStates)[number]
export type OsReleaseEvent = 'pre_release' | 'launch' | 'take_offline' | 'delete'

/** State x event -> state; null: it is gone. What was offline may come back, with the packages that it has then. */
export const osReleaseMoves = {
  draft: { pre_release: 'pre_released', launch: 'launched', delete: null },
  pre_released: { launch: 'launched', take_offline: 'offline' },
  launched: { take_offline: 'offline' },
  offline: { pre_release: 'pre_released', launch: 'launched', delete: null },
} as const satisfies Record<OsReleaseState, Partial<Record<OsReleaseEvent, OsReleaseState | null>>>

const moves: Record<OsReleaseState, Partial<Record<OsReleaseEvent, OsReleaseState | null>>> = osReleaseMoves
export const canOsRelease = (state: OsReleaseState, event: OsReleaseEvent): boolean => moves[state][event] !== undefined
/** Whether devices may be given it. */
export const isOsOut = (state: OsReleaseState): boolean => canOsRelease(state, 'take_offline')
/** By how it is released. */
export const osReleaseEvent = { launched: 'launch', pre_released: 'pre_release' } as const
