import { Cron } from 'croner'
import { Refusal } from '../../../refusal.ts'

const fault = (name: 'cron_wrong' | 'cron_never') => new Refusal('bad_input', {}, { cron: { name } })
/** Minute, hour, day, month, weekday. Seconds and nicknames (@daily) are not taken: one way to say one thing. */
const five_fields = /^\S+(?: +\S+){4}$/

/**
 * When a schedule runs next, at most `count` times, after `from`: by the wall clock of its zone, where a time that a change
 * of summer time skips is the first after it, and one that comes twice runs once. @throws `bad_input` of the field `cron`
 */
export function nextRuns({ cron, zone }: { cron: string; zone: string }, from: Date, count: number): Date[] {
  if (!five_fields.test(cron.trim())) throw fault('cron_wrong')
  let runs: Date[]
  try {
    runs = new Cron(cron, { timezone: zone, paused: true }).nextRuns(count, from)
  } catch {
    throw fault('cron_wrong')
  }
  if (runs.length === 0) throw fault('cron_never')
  return runs
}
