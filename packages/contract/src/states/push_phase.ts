/**
 * Where a push as a whole stands, beside the states of its devices. `creating`: rows of devices are being made, piece by
 * piece. `ended`: no device has anything left to do.
 */
export const pushPhases = [
  'awaiting_approval',
  'planned',
  'creating',
  'running',
  'paused',
  'ended',
  'canceled',
  'rejected',
] as const
export type PushPhase = (typeof pushPhases)[number]
export type PushPhaseEvent =
  'approve' | 'reject' | 'change' | 'begin' | 'created' | 'pause' | 'resume' | 'end' | 'cancel' | 'retry'

const canceled = { cancel: 'canceled' } as const

/** Phase x event -> phase. `end` and `retry` follow from the states of the devices; what is changed is decided like a new push. */
export const pushPhaseMoves = {
  awaiting_approval: { approve: 'planned', reject: 'rejected', change: 'creating', ...canceled },
  planned: { begin: 'creating', change: 'creating', ...canceled },
  creating: { created: 'running', ...canceled },
  running: { pause: 'paused', end: 'ended', ...canceled },
  paused: { resume: 'running', end: 'ended', ...canceled },
  ended: { retry: 'running' },
  canceled: { retry: 'running' },
  rejected: {},
} as const satisfies Record<PushPhase, Partial<Record<PushPhaseEvent, PushPhase>>>

const moves: Record<PushPhase, Partial<Record<PushPhaseEvent, PushPhase>>> = pushPhaseMoves
export const nextPushPhase = (phase: PushPhase, event: PushPhaseEvent): PushPhase | undefined => moves[phase][event]
export const canPushPhase = (phase: PushPhase, event: PushPhaseEvent): boolean => moves[phase][event] !== undefined
/** The phases in which an event is possible, for `WHERE phase = ANY(...)`. */
export const phasesFor = (event: PushPhaseEvent): PushPhase[] =>
  pushPhases.filter((phase) => canPushPhase(phase, event))

/** Why the server paused a rollout; null where a person did. */
export const pauseReasons = ['errors', 'too_few_succeeded'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** Summary filters of the specification (section 4). -1 is no filter at all. */
export const pushEffects = { all: -1, invalid: 0, partly_effective: 1, failure: 2, success: 3 } as const
export type PushEffect = 0 | 1 | 2 | 3

/**
 * What an ended push brought. Invalid: it took effect nowhere, because it was canceled or its devices are gone; undefined
 * while a device is still moving. `gone` are those of `failed` whose device left.
 */
export function pushEffect(counts: {
  total: number
  completed: number
  failed: number
  canceled: number
  gone: number
}): PushEffect | undefined {
  const { total, completed, failed, canceled, gone } = counts
  if (completed + failed + canceled < total) return undefined
  if (total > 0 && completed === total) return pushEffects.success
  if (completed > 0) return pushEffects.partly_effective
  return failed > gone ? pushEffects.failure : pushEffects.invalid
}

type StepCounts = { total: number; completed: number; failed: number; canceled: number; gone: number }
export type StepRules = { success_percent: number; error_percent: number }

/**
 * What a rollout does after its current step. Percentages are of the step's devices, without those that left or were
 * canceled: nobody can succeed there. `wait`: devices are still at it and neither threshold is reached.
 */
export function stepVerdict(counts: StepCounts, rules: StepRules): 'wait' | 'go_on' | PauseReason {
  const { total, completed, failed, canceled, gone } = counts
  const target_count = total - canceled - gone
  const errors = failed - gone
  if (errors > 0 && errors * 100 >= rules.error_percent * target_count) return 'errors'
  const is_over = completed + failed + canceled >= total
  if (completed * 100 >= rules.success_percent * target_count && (rules.success_percent > 0 || is_over)) return 'go_on'
  return is_over ? 'too_few_succeeded' : 'wait'
}
