import * as z from 'zod'
import type { Down, Waits } from '@mdm/device-link'
import { windowOpens } from './window.ts'

/** What a user has said to a question, as it is kept with the attempt. */
const Said = z.object({
  answer: z.enum(['yes', 'no']).optional(),
  put_off: z.number().int(),
  again_at: z.iso.datetime().optional().describe('not asked before'),
})
type Said = z.infer<typeof Said>
export const prompts = ['download_prompt', 'install_prompt'] as const
export type Prompt = (typeof prompts)[number]

/** What has come of the conditions so far. */
export const Course = z.object({
  download_prompt: Said.optional(),
  install_prompt: Said.optional(),
  warned_at: z.iso.datetime().optional(),
})
export type Course = z.infer<typeof Course>
export type Answer = 'yes' | 'no' | 'later' | 'nobody'

/** Specification, section 9. */
export const reminder_minutes = [10, 30, 60] as const
export const warning_seconds = 60
/** A warning that is older was of another time: the device was off, or the window had closed. */
const warning_holds_ms = 3 * 60_000

export type Conditions = Pick<
  Down['task'],
  'expires_at' | 'network' | 'window' | 'min_battery' | 'download_prompt' | 'install_prompt' | 'force_install'
>
export type Situation = {
  /** What comes next of the task. */
  step: 'download' | 'execute'
  now: Date
  /** Of the device, as IANA calls it. */
  zone: string
  network: 'wifi' | 'mobile' | 'ethernet' | 'none' | undefined
  /** Undefined where there is none, or where it does not matter. */
  battery?: { level: number; charging: string } | undefined
  course: Course
}
export type Next =
  | { do: 'download' }
  | { do: 'execute' }
  | { do: 'ask'; prompt: Prompt; may_put_off: boolean; waits: Waits }
  /** `course` is what it has come to with the warning. */
  | { do: 'warn'; seconds: number; course: Course; waits: Waits }
  | { do: 'wait'; until: Date | undefined; waits: Waits }
  | { do: 'fail'; code: 'expired' | 'refused' | 'bad_task' }

/**
 * What a device does next of a task, by its conditions. It is asked again whenever `until` is over, the network or the
 * clock has changed, or the user has answered; it decides from what it is given alone.
 */
export function nextOf(task: Conditions, { step, now, zone, network, battery, course }: Situation): Next {
  const opens = task.window ? windowOpens(task.window, now, zone) : now
  if (!opens) return { do: 'fail', code: 'bad_task' }
  if (now.getTime() >= Date.parse(task.expires_at)) return { do: 'fail', code: 'expired' }
  if (step === 'download') {
    if (task.network === 'wifi' && network !== 'wifi' && network !== 'ethernet')
      return { do: 'wait', until: undefined, waits: { for: 'network' } }
    return (task.download_prompt && asking('download_prompt', now, course)) || { do: 'download' }
  }
  if (opens > now) return { do: 'wait', until: opens, waits: { for: 'window', until: opens.toISOString() } }
  const is_low = battery && battery.charging !== 'charging' && battery.charging !== 'full'
  if (task.min_battery !== undefined && is_low && battery.level < task.min_battery)
    return { do: 'wait', until: undefined, waits: { for: 'battery' } }
  if (task.force_install) return warning(now, course) ?? { do: 'execute' }
  return (task.install_prompt && asking('install_prompt', now, course)) || { do: 'execute' }
}

/** What a prompt still asks for; undefined when the user has said yes. */
function asking(prompt: Prompt, now: Date, course: Course): Next | undefined {
  const { answer, put_off, again_at } = course[prompt] ?? { put_off: 0 }
  if (answer === 'yes') return undefined
  if (answer === 'no') return { do: 'fail', code: 'refused' }
  const waits = { for: prompt, put_off, put_off_max: reminder_minutes.length }
  // A clock that was set back must not make it wait for longer than it was put off for.
  const longest_ms = Math.max(...reminder_minutes) * 60_000
  const left_ms = again_at === undefined ? 0 : Date.parse(again_at) - now.getTime()
  if (again_at !== undefined && left_ms > 0 && left_ms <= longest_ms)
    return { do: 'wait', until: new Date(again_at), waits: { ...waits, until: again_at } }
  return { do: 'ask', prompt, may_put_off: put_off < reminder_minutes.length, waits }
}

/** The course once the user has answered a prompt. Nobody there to ask counts as yes; no answer at all as later. */
export function answered(course: Course, prompt: Prompt, answer: Answer, now: Date): Course {
  const { put_off } = course[prompt] ?? { put_off: 0 }
  if (answer === 'yes' || answer === 'nobody') return { ...course, [prompt]: { answer: 'yes', put_off } }
  if (answer === 'no') return { ...course, [prompt]: { answer: 'no', put_off } }
  const minutes = reminder_minutes[put_off] ?? reminder_minutes.at(-1)!
  const again_at = new Date(now.getTime() + minutes * 60_000).toISOString()
  return { ...course, [prompt]: { put_off: Math.min(put_off + 1, reminder_minutes.length), again_at } }
}

/** What is left of the warning; undefined when the user has had it for long enough. */
function warning(now: Date, course: Course): Next | undefined {
  const { warned_at } = course
  const since_ms = warned_at === undefined ? -1 : now.getTime() - Date.parse(warned_at)
  const over = (from: Date) => new Date(from.getTime() + warning_seconds * 1000)
  const waits = (until: Date): Waits => ({ for: 'warning', until: until.toISOString() })
  if (warned_at === undefined || since_ms < 0 || since_ms > warning_holds_ms)
    return {
      do: 'warn',
      seconds: warning_seconds,
      course: { ...course, warned_at: now.toISOString() },
      waits: waits(over(now)),
    }
  const until = over(new Date(warned_at))
  return until > now ? { do: 'wait', until, waits: waits(until) } : undefined
}
