import * as z from 'zod'
import { inabilityNames } from '../agents.ts'
import { Count, Instant, Kid, wrong } from '../wire.ts'
import { ExecutionWindow } from './maintenance_window.ts'

export const pushLimits = {
  /** A deadline lies at most so far ahead. */
  deadline_days: 30,
  /** A start that lies behind by less is now: a form stays open for a while. */
  late_minutes: 10,
  /** So long devices are waited for where a push has conditions and no deadline. */
  waiting_days: 7,
  steps: 20,
  /** Devices picked by hand for the first step. */
  picked: 1_000,
  /** SNs of one pasted or uploaded list. */
  sns: 50_000,
  schedules: 100,
  templates: 200,
} as const

/** What a device waits for before it downloads and executes, and what it does afterwards (specification, section 3). */
export const PushConditions = z
  .object({
    network: z.enum(['any', 'wifi']).default('any').describe('what downloads wait for'),
    window: ExecutionWindow.optional().describe('when it may execute'),
    min_battery: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('percent of charge, below which it does not execute unless it is being charged'),
    download_prompt: z.boolean().default(false),
    install_prompt: z.boolean().default(false),
    force_install: z.boolean().default(false).describe('without asking; the user is warned a minute ahead'),
    after_install: z.enum(['nothing', 'start_app', 'restart']).default('nothing'),
    start_at: Instant.optional().describe('absent: now'),
    deadline_at: Instant.optional().describe('nothing starts after it'),
  })
  .refine((of) => !(of.install_prompt && of.force_install), wrong('prompt_or_force', undefined, 'force_install'))
  .refine(
    (of) => of.window?.from === undefined || of.window.from !== of.window.to,
    wrong('window_empty', undefined, 'window'),
  )
  .refine(
    (of) => !of.start_at || !of.deadline_at || of.start_at < of.deadline_at,
    wrong('deadline_before_start', undefined, 'deadline_at'),
  )
export type PushConditions = z.output<typeof PushConditions>

/** Whether a start lies too far behind to be meant as now. */
export const isStartPassed = (start: Date, now: Date): boolean =>
  start.getTime() < now.getTime() - pushLimits.late_minutes * 60_000

/** Whether devices have something to wait for: then they are waited for `waiting_days`, not as long as others. */
export const hasToWait = (of: Partial<z.input<typeof PushConditions>>): boolean =>
  Boolean(of.window ?? of.min_battery ?? (of.download_prompt || of.install_prompt || of.network === 'wifi'))

const Percent = z.number().int().min(1).max(100)
const Size = z.union([z.object({ percent: Percent }), z.object({ count: z.number().int().min(1).max(1_000_000) })])
export type StepSize = z.output<typeof Size>

const stepsOf = z.array(Size).max(pushLimits.steps).describe('cumulative for percent: 5, 25, 100')
const thresholds = {
  success_percent: z.number().int().min(0).max(100).default(90),
  error_percent: Percent.default(10),
}

/**
 * Devices of a push in steps, one after the other; what the steps leave is a last one. The next step begins when
 * `success_percent` of the devices of the current one have succeeded; the rollout pauses when `error_percent` failed.
 */
export const Rollout = z
  .object({
    picked_kids: z
      .array(Kid)
      .min(1)
      .max(pushLimits.picked)
      .optional()
      .describe('the first step by hand; devices of the push'),
    steps: stepsOf,
    ...thresholds,
    takes_later: z.boolean().default(false).describe('devices that match later are taken in until the deadline'),
  })
  .refine((of) => of.steps.length > 0 || of.picked_kids !== undefined, wrong('rollout_steps', undefined, 'steps'))
  .refine(
    ({ steps }) => steps.every((step, at) => !('percent' in step) || grows(steps.slice(0, at), step.percent)),
    wrong('rollout_percent_grows', undefined, 'steps'),
  )
export type Rollout = z.output<typeof Rollout>
/** Of a push that another call makes: its devices are known to that call alone. */
export const PlainRollout = z
  .object({ steps: stepsOf.min(1), ...thresholds })
  .refine(
    ({ steps }) => steps.every((step, at) => !('percent' in step) || grows(steps.slice(0, at), step.percent)),
    wrong('rollout_percent_grows', undefined, 'steps'),
  )
export type PlainRollout = z.output<typeof PlainRollout>
const grows = (before: StepSize[], percent: number): boolean =>
  before.every((step) => !('percent' in step) || step.percent < percent)

/**
 * How many devices each step has: picked ones first, then by size, then the rest. Steps of nobody are left out. The sum
 * is `total`.
 */
export function stepSizes(total: number, { steps }: Pick<Rollout, 'steps'>, picked = 0): number[] {
  const sizes = picked > 0 ? [Math.min(picked, total)] : []
  let used = sizes[0] ?? 0
  for (const step of steps) {
    const upTo = 'percent' in step ? Math.ceil((total * step.percent) / 100) : used + step.count
    const size = Math.min(total, upTo) - used
    if (size <= 0) continue
    sizes.push(size)
    used += size
  }
  if (used < total) sizes.push(total - used)
  return sizes
}

/** Why a device that was meant does not get a push. */
export const leftOutReasons = [
  ...inabilityNames,
  'package_kind',
  'abi',
  'sdk',
  'has_it',
  'has_newer',
  'has_not',
  'offline',
  'gone',
  // Of an OS
  'has_version',
  'version_unknown',
  'other_uid',
  'no_package',
  'not_in_group',
] as const
export const LeftOutReason = z.enum(leftOutReasons)
export type LeftOutReason = z.output<typeof LeftOutReason>

export const LeftOutCount = z.object({ reason: LeftOutReason, count: Count })
