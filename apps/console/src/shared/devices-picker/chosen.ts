import { named_max } from '@mdm/contract'
import type { ScheduleTo, Sent, Where, WhereGroup } from '@mdm/contract'
import type { api } from '../../core/api.ts'
import type { Able } from '../device/inability.ts'
import type { Match } from '../device/WhichDevices.tsx'
import { draftOf } from '../device-filters/conditions/where-draft.ts'
import type { DraftGroup } from '../device-filters/conditions/where-draft.ts'
import type { SnList } from './sns.ts'

/** A device that was chosen by itself; what it can do is known where it was read from a list. */
export type NamedDevice = { kid: string; sn: string; name: string } & Partial<Able>

/** Devices that a task is for, and how a person said which. */
export type ChosenDevices =
  /** With everything below it, as it is when the task is made. */
  | { kind: 'group'; terminal_group_kid: string | undefined }
  | { kind: 'dynamic'; terminal_dynamic_group_kid: string | undefined }
  | { kind: 'devices'; rows: readonly NamedDevice[] }
  /** Conditions that were made here, or `given`: those of the list where the person came from, in words. */
  | { kind: 'filter'; draft?: DraftGroup; where?: Where | undefined; given?: { match: Match; said: string } }
  | ({ kind: 'sns' } & SnList)
/** What the devices can do; undefined where that is not known of each. */
export function ablesOf(chosen: ChosenDevices): readonly Able[] | undefined {
  if (chosen.kind !== 'devices' || chosen.rows.length === 0) return undefined
  const known = chosen.rows.flatMap(({ agent_kind, task_types }) =>
    agent_kind && task_types !== undefined ? { agent_kind, task_types } : [],
  )
  return known.length === chosen.rows.length ? known : undefined
}
export type HowChosen = ChosenDevices['kind']

export const noDevices = (kind: HowChosen): ChosenDevices => {
  if (kind === 'group') return { kind, terminal_group_kid: undefined }
  if (kind === 'dynamic') return { kind, terminal_dynamic_group_kid: undefined }
  if (kind === 'devices') return { kind, rows: [] }
  return kind === 'filter' ? { kind } : { kind, text: '', sns: [], file: undefined, wrong: [] }
}

type To = Pick<Sent<typeof api.pushTask.preview>, 'terminal_kids' | 'terminal_group_kid' | 'match' | 'sns'>
/** As `push_task/preview` takes them; undefined while nothing is chosen. */
export function targetsOf(chosen: ChosenDevices): To | undefined {
  if (chosen.kind === 'group') {
    const { terminal_group_kid } = chosen
    return terminal_group_kid === undefined ? undefined : { terminal_group_kid }
  }
  if (chosen.kind === 'devices')
    return chosen.rows.length === 0 ? undefined : { terminal_kids: chosen.rows.map(({ kid }) => kid) }
  if (chosen.kind === 'sns') return chosen.sns.length === 0 ? undefined : { sns: [...chosen.sns] }
  const match = matchOf(chosen)
  return match && { match }
}

/** What devices are found by, now and later; undefined of those that are named. */
export function matchOf(chosen: ChosenDevices): Match | undefined {
  if (chosen.kind === 'group')
    return chosen.terminal_group_kid === undefined ? undefined : { terminal_group_kid: chosen.terminal_group_kid }
  if (chosen.kind === 'dynamic') {
    const { terminal_dynamic_group_kid } = chosen
    return terminal_dynamic_group_kid === undefined ? undefined : { terminal_dynamic_group_kid }
  }
  if (chosen.kind !== 'filter') return undefined
  return chosen.given?.match ?? (chosen.where && { where: chosen.where })
}

/** A match that was kept, as a person could have chosen it; undefined of one that asks for more than can be chosen here. */
export function chosenOf(match: Match): ChosenDevices | undefined {
  const { terminal_group_kid = 'ALL', terminal_dynamic_group_kid, where, ...more } = match
  const asks = Object.values(more).filter((value) => value !== undefined)
  if (asks.length > 0) return undefined
  const is_in_group = terminal_group_kid !== 'ALL'
  if (where === undefined && terminal_dynamic_group_kid === undefined) return { kind: 'group', terminal_group_kid }
  if (is_in_group || (where && terminal_dynamic_group_kid !== undefined)) return undefined
  return where
    ? { kind: 'filter', draft: draftOf(where as WhereGroup), where: where as Where }
    : { kind: 'dynamic', terminal_dynamic_group_kid }
}

/** Whom each run of a schedule is for. Of a list of SNs it takes the devices that a preview found. */
export function scheduleTargetsOf(
  chosen: ChosenDevices,
  found: readonly string[],
): Pick<ScheduleTo, 'match' | 'terminal_kids'> {
  const match = matchOf(chosen)
  if (match) return { match: match as ScheduleTo['match'] }
  return {
    terminal_kids: (chosen.kind === 'devices' ? chosen.rows.map(({ kid }) => kid) : [...found]).slice(0, named_max),
  }
}
