/** Where a custom OS stands (specification, section 4). */
export const osCustomStates = ['enabled', 'abandoned', 'abnormal'] as const
export type OsCustomState = (typeof osCustomStates)[number]
export type OsCustomEvent = 'build' | 'edit' | 'succeed' | 'fail' | 'abandon' | 'restore'

/**
 * State x event -> state. Abnormal is what could not be built the last time; what was given up is neither built nor changed
 * until it is taken up again, and the versions of it that are out stay out.
 */
export const osCustomMoves = {
  enabled: { build: 'enabled', edit: 'enabled', succeed: 'enabled', fail: 'abnormal', abandon: 'abandoned' },
  abnormal: { build: 'abnormal', edit: 'abnormal', succeed: 'enabled', fail: 'abnormal', abandon: 'abandoned' },
  abandoned: { restore: 'enabled' },
} as const satisfies Record<OsCustomState, Partial<Record<OsCustomEvent, OsCustomState>>>

const customMoves: Record<OsCustomState, Partial<Record<OsCustomEvent, OsCustomState>>> = osCustomMoves
export const nextOsCustom = (state: OsCustomState, event: OsCustomEvent): OsCustomState | undefined =>
  customMoves[state][event]

/** The steps of a build, in their order. */
export const osBuildSteps = ['downloading', 'preparing', 'packaging', 'uploading', 'launching'] as const
export type OsBuildStep = (typeof osBuildSteps)[number]
export const osBuildStates = ['waiting', 'running', 'completed', 'failed', 'canceled'] as const
export type OsBuildState = (typeof osBuildStates)[number]
export type OsBuildEvent = 'begin' | 'advance' | 'finish' | 'fail' | 'cancel' | 'retry'

/** A build keeps its step in all states: what failed goes on from the step in which it did. */
export const osBuildMoves = {
  waiting: { begin: 'running', cancel: 'canceled' },
  running: { begin: 'running', advance: 'running', finish: 'completed', fail: 'failed', cancel: 'canceled' },
  failed: { retry: 'waiting', cancel: 'canceled' },
  completed: {},
  canceled: {},
} as const satisfies Record<OsBuildState, Partial<Record<OsBuildEvent, OsBuildState>>>

const buildMoves: Record<OsBuildState, Partial<Record<OsBuildEvent, OsBuildState>>> = osBuildMoves
/** Where an event leads; undefined where it cannot be. Only the last step finishes, and it does not advance. */
export function nextOsBuild(
  { state, step }: { state: OsBuildState; step: OsBuildStep },
  event: OsBuildEvent,
): { state: OsBuildState; step: OsBuildStep } | undefined {
  const to = buildMoves[state][event]
  const next = osBuildSteps[osBuildSteps.indexOf(step) + 1]
  if (to === undefined || (event === 'finish' && next !== undefined)) return undefined
  if (event !== 'advance') return { state: to, step }
  return next && { state: to, step: next }
}
/** Whether it is not over. */
export const isOsBuildOpen = (state: OsBuildState): boolean => state === 'waiting' || state === 'running'
