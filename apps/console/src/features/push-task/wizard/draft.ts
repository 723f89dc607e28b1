import {
  fieldFaultsOf,
  fieldMessage,
  isStartPassed,
  named_max,
  PlainRollout,
  PushConditions,
  pushLimits,
  Rollout,
  stepSizes,
} from '@mdm/contract'
import type {
  FieldFault,
  Language,
  PlannedPush,
  PushPayload,
  PushPreview,
  PushableType,
  PushWork,
  Sent,
  StepSize,
} from '@mdm/contract'
import type { api } from '../../../core/api.ts'
import { chosenOf, matchOf, targetsOf } from '../../../shared/devices-picker/chosen.ts'
import type { ChosenDevices, NamedDevice } from '../../../shared/devices-picker/chosen.ts'
import { kindOf } from './kinds.tsx'
import type { ConditionPart } from '../../../shared/device/commands/forms.tsx'
import { cronOf } from './recurrence.ts'
import type { Recurrence } from './recurrence.ts'

export type Prompt = 'none' | 'ask' | 'force'
export type AfterInstall = 'nothing' | 'start_app' | 'restart'
export type RolloutDraft = {
  unit: 'percent' | 'count'
  sizes: readonly (number | null)[]
  is_picking: boolean
  /** The first step by hand. */
  picked: readonly NamedDevice[]
  success_percent: number | null
  error_percent: number | null
  takes_later: boolean
}
/** A push while it is being made, with holes in it. */
export type Draft = {
  type: PushableType
  /** Values of the form of each kind, so that they are there again when the person turns back. */
  values: Partial<Record<PushableType, object>>
  description: string
  devices: ChosenDevices
  /** Devices that were offline for longer are left out; null: none is. */
  offline_days: number | null
  start: 'now' | 'at' | 'recurring'
  start_at: string | null
  /** Of a recurring one. */
  name: string
  recurrence: Recurrence
  zone: string
  deadline_at: string | null
  network: 'any' | 'wifi'
  download_prompt: boolean
  min_battery: number | null
  prompt: Prompt
  window: PushConditions['window'] | null
  after_install: AfterInstall
  rollout: RolloutDraft | null
}
export const usual_rollout: RolloutDraft = {
  unit: 'percent',
  sizes: [5, 25],
  is_picking: false,
  picked: [],
  success_percent: 90,
  error_percent: 10,
  takes_later: false,
}

export function newDraft(type: PushableType, zone: string): Draft {
  return {
    type,
    values: {},
    description: '',
    devices: { kind: 'group', terminal_group_kid: undefined },
    offline_days: null,
    start: 'now',
    start_at: null,
    name: '',
    recurrence: { every: 'day', time: '22:00', weekdays: [1], day: 1, cron: '' },
    zone,
    deadline_at: null,
    network: 'any',
    download_prompt: false,
    min_battery: null,
    prompt: 'none',
    window: null,
    after_install: 'nothing',
    rollout: null,
  }
}

type Template = {
  type: PushableType
  payload: unknown
  description: string
  conditions: PushConditions
  rollout: Rollout | null
}
/** What a push or a template says, for another push. Its times have passed, and picked devices were those of the other. */
export function fromTemplate(draft: Draft, { type, payload, description, conditions, rollout }: Template): Draft {
  const { network, download_prompt, min_battery, install_prompt, force_install, window, after_install } = conditions
  const unit = rollout?.steps.some((step) => 'count' in step) ? 'count' : 'percent'
  const sizes = rollout?.steps.map((step) => ('percent' in step ? step.percent : step.count)) ?? []
  return {
    ...draft,
    type,
    values: { ...draft.values, [type]: { ...kindOf(type).initial, ...(payload as object) } },
    description,
    network,
    download_prompt,
    min_battery: min_battery ?? null,
    prompt: force_install ? 'force' : install_prompt ? 'ask' : 'none',
    window: window ?? null,
    after_install,
    rollout: rollout && {
      ...usual_rollout,
      unit,
      sizes: sizes.length > 0 ? sizes : usual_rollout.sizes,
      success_percent: rollout.success_percent,
      error_percent: rollout.error_percent,
    },
  }
}

/** A push that has not begun, as it was made. `said`: whom it is for, in words. */
export function fromPlanned(
  draft: Draft,
  planned: Omit<PlannedPush, 'type'> & Pick<Draft, 'type'>,
  said: string,
): Draft {
  const { conditions, offline_days, picked, rollout } = planned
  const kept = fromTemplate(draft, planned)
  const start_at = conditions.start_at && Date.parse(conditions.start_at) > Date.now() ? conditions.start_at : null
  return {
    ...kept,
    devices: devicesOf(planned, said),
    offline_days,
    start: start_at ? 'at' : 'now',
    start_at,
    deadline_at: conditions.deadline_at ?? null,
    rollout: kept.rollout && {
      ...kept.rollout,
      ...(rollout?.steps.length === 0 && { sizes: [] }),
      is_picking: picked.length > 0,
      picked,
      takes_later: rollout?.takes_later ?? false,
    },
  }
}

function devicesOf(
  { match, devices, target }: Pick<PlannedPush, 'match' | 'devices' | 'target'>,
  said: string,
): ChosenDevices {
  if (match) return chosenOf(match) ?? { kind: 'filter', given: { match, said } }
  const file = target?.file
  if (file === undefined && devices.length <= named_max) return { kind: 'devices', rows: devices }
  const sns = devices.map(({ sn }) => sn)
  return { kind: 'sns', text: file === undefined ? sns.join('\n') : '', sns, file, wrong: [] }
}

export const valuesOf = ({ type, values }: Draft): object => values[type] ?? kindOf(type).initial
export const workOf = (draft: Draft): PushWork => {
  const { type } = draft
  return { type, payload: kindOf(type).payload(valuesOf(draft)) as PushPayload<typeof type> } as PushWork
}

/** Whether a kind has this condition. */
export const has = ({ type }: Pick<Draft, 'type'>, part: ConditionPart): boolean =>
  kindOf(type).conditions.includes(part)

/** What the device waits for, of what its kind has. A recurring push has no times of its own. */
export function conditionsOf(draft: Draft): Sent<typeof api.pushTask.insert>['conditions'] {
  const { start, start_at, deadline_at, network, download_prompt, min_battery, prompt, window, after_install } = draft
  const after = after_install === 'restart' ? 'restart_after' : 'start_after'
  return {
    ...(has(draft, 'network') && { network }),
    ...(has(draft, 'download_prompt') && { download_prompt }),
    ...(has(draft, 'battery') && min_battery !== null && { min_battery }),
    ...(has(draft, 'install_prompt') && { install_prompt: prompt === 'ask', force_install: prompt === 'force' }),
    ...(has(draft, 'window') && window && { window }),
    ...(after_install !== 'nothing' && has(draft, after) && { after_install }),
    ...(start === 'at' && start_at && { start_at }),
    ...(start !== 'recurring' && deadline_at && { deadline_at }),
  }
}

/** Whether devices that match later can be taken in, and what is missing for that. */
export function laterDisabledReason({
  devices,
  start,
  deadline_at,
}: Draft): 'named' | 'recurring' | 'deadline' | undefined {
  if (start === 'recurring') return 'recurring'
  if (!matchOf(devices)) return 'named'
  return deadline_at ? undefined : 'deadline'
}

export const sizesOf = ({ unit, sizes }: Pick<RolloutDraft, 'unit' | 'sizes'>): StepSize[] =>
  sizes.flatMap((size) => (size === null ? [] : [unit === 'percent' ? { percent: size } : { count: size }]))

/** Steps of a push that another call makes, as it takes them, and what is wrong with them, by the field. */
export function readSteps(steps: Pick<RolloutDraft, 'unit' | 'sizes' | 'success_percent' | 'error_percent'>) {
  const { success_percent, error_percent } = steps
  const said = { steps: sizesOf(steps), success_percent, error_percent }
  const read = PlainRollout.safeParse(said)
  const faults: Record<string, FieldFault> = {}
  for (const [field, fault] of Object.entries(read.error ? fieldFaultsOf(read.error, said) : {}))
    faults[field.startsWith('steps') ? 'rollout.steps' : `rollout.${field}`] ??= fault
  if (steps.sizes.includes(null)) faults['rollout.steps'] = { name: 'required' }
  return { rollout: read.data, faults }
}

export function rolloutOf(draft: Draft): Sent<typeof api.pushTask.insert>['rollout'] {
  const { rollout, start } = draft
  if (!rollout) return undefined
  const { is_picking, picked, success_percent, error_percent, takes_later } = rollout
  return {
    steps: sizesOf(rollout),
    ...(is_picking && start !== 'recurring' && picked.length > 0 && { picked_kids: picked.map(({ kid }) => kid) }),
    ...(success_percent !== null && { success_percent }),
    ...(error_percent !== null && { error_percent }),
    takes_later: takes_later && laterDisabledReason(draft) === undefined,
  }
}

/** How many devices each step has. */
export function stepsOf(draft: Draft, total: number): number[] {
  const rollout = rolloutOf(draft)
  return rollout ? stepSizes(total, { steps: rollout.steps }, rollout.picked_kids?.length ?? 0) : []
}

/** What a preview was of; another one is needed as soon as this changes. */
export function previewInputOf(draft: Draft): Sent<typeof api.pushTask.preview> | undefined {
  const { type, devices, offline_days } = draft
  const to = targetsOf(devices)
  const of_content = kindOf(type).depends_on_content && { payload: workOf(draft).payload }
  const file = devices.kind === 'sns' && devices.file !== undefined && { sns_file: devices.file.slice(0, 255) }
  return to && { type, ...of_content, ...to, ...file, ...(offline_days !== null && { offline_days }) }
}
export type Checked = PushPreview & { of: string }
export const leftOut = (checked: Pick<Checked, 'left_out'>): number =>
  checked.left_out.reduce((sum, { count }) => sum + count, 0)
/** Whether everybody who was chosen gets it: then nobody has to be looked at before one goes on. */
export const getsAll = (checked: Pick<Checked, 'left_out' | 'missing_count' | 'total'>): boolean =>
  leftOut(checked) === 0 && checked.missing_count === 0 && checked.total > 0
export const isCurrent = (draft: Draft, checked: Checked | null): checked is Checked =>
  checked !== null && checked.of === JSON.stringify(previewInputOf(draft))

const day_ms = 86_400_000
/** What is wrong with time, conditions and steps, by the field; the server would refuse the same. */
export function faultsOf(draft: Draft, now: number): Record<string, FieldFault> {
  const { start, start_at, deadline_at, name, recurrence, rollout } = draft
  const faults: Record<string, FieldFault> = {}
  const far = { name: 'deadline_far', details: { days: pushLimits.deadline_days } } as const
  if (start === 'at') {
    if (!start_at) faults['start_at'] = { name: 'required' }
    else if (isStartPassed(new Date(start_at), new Date(now))) faults['start_at'] = { name: 'time_passed' }
    else if (Date.parse(start_at) > now + pushLimits.deadline_days * day_ms) faults['start_at'] = far
  }
  if (start === 'recurring') {
    if (name.trim() === '') faults['name'] = { name: 'required' }
    if (recurrence.every === 'week' && recurrence.weekdays.length === 0) faults['weekdays'] = { name: 'required' }
    if (recurrence.every === 'free' && cronOf(recurrence) === '') faults['cron'] = { name: 'required' }
  } else if (deadline_at) {
    if (Date.parse(deadline_at) <= now) faults['deadline_at'] = { name: 'time_passed' }
    else if (Date.parse(deadline_at) > now + pushLimits.deadline_days * day_ms) faults['deadline_at'] = far
  }
  const conditions = conditionsOf(draft)
  const refused = PushConditions.safeParse(conditions).error
  if (refused) Object.assign(faults, fieldFaultsOf(refused, conditions))
  if (!rollout) return faults
  if (rollout.success_percent === null) faults['rollout.success_percent'] = { name: 'required' }
  if (rollout.error_percent === null) faults['rollout.error_percent'] = { name: 'required' }
  if (rollout.is_picking && start !== 'recurring' && rollout.picked.length === 0)
    faults['rollout.picked_kids'] = { name: 'devices_needed' }
  if (rollout.sizes.includes(null)) faults['rollout.steps'] = { name: 'required' }
  const said = rolloutOf(draft)
  const wrong = Rollout.safeParse(said).error
  for (const [field, fault] of Object.entries(wrong ? fieldFaultsOf(wrong, said) : {}))
    faults[field.startsWith('steps') ? 'rollout.steps' : `rollout.${field}`] ??= fault
  return faults
}

export const faultText = (fault: FieldFault | undefined, language: Language): string | undefined =>
  fault && fieldMessage({ ...fault, pattern: undefined } as FieldFault, language)
