import { cannot } from './refusals.ts'
import { isLow, isRestart } from './wanted-work.ts'
import type { Ended, KeptWanted, Open, WantedApp, WantedTurn } from './wanted-work.ts'

/** What the device says that it has, of what it was asked for. */
type There = { apps: ReadonlyMap<string, string>; files: ReadonlyMap<string, number>; parts: KeptWanted['parts'] }
export type Coming = 'config' | 'poll' | 'other'

/** A device restarts within it, and comes first for its configuration or, at the same time, for news. */
const restart_ms = 10_000
const booted_ms = 90_000
const not_restarted_ms = 20 * 60_000
const reset_ms = 3 * 60_000
/** One that said that it resets itself and is silent for so long has. */
const silent_reset_ms = 20 * 60_000
/** What it said as it fetched may be of before. */
const settled_ms = 2_000
/** How often a device that works is asked how far it is; ever more rarely. */
const ask_again = { least_ms: 2 * 60_000, most_ms: 30 * 60_000 }

export function end(at: WantedTurn, open: Open, said: Ended): void {
  at.kept.open = at.kept.open.filter((each) => each !== open)
  at.report({ task_kid: open.task_kid, attempt: open.attempt, ...said })
}

/** Ends what is known to have ended by the way in which it comes. */
export function judge(at: WantedTurn, coming: Coming): void {
  const { kept, now } = at
  for (const open of kept.open.slice()) {
    const verdict = kept.is_reset ? afterReset(open) : verdictOf(open, now, coming)
    if (verdict) end(at, open, verdict)
    else if (kept.is_reset) delete open.out_at
  }
  if (!kept.is_reset) return
  for (const gone of ['is_reset', 'hello', 'state', 'config', 'log'] as const) delete kept[gone]
  kept.is_due = true
}

/** What can be done twice goes out to the device that it is now. */
const afterReset = ({ type, apps, packages, files }: Open): Ended | undefined =>
  type === 'factory_reset'
    ? { state: 'completed' }
    : apps || packages || files
      ? undefined
      : cannot('device_reset', 'The device was reset meanwhile')

function verdictOf(open: Open, now: number, coming: Coming): Ended | undefined {
  const { confirmed_at, out_at = now } = open
  if (open.state !== 'executing')
    return Date.parse(open.expires_at) <= now ? { state: 'failed', code: 'expired' } : undefined
  if (open.type === 'factory_reset')
    return confirmed_at !== undefined && now - confirmed_at > reset_ms
      ? cannot('not_reset', 'The device did not reset itself')
      : undefined
  if (!isRestart(open)) return undefined
  const failed = cannot('not_restarted', 'The device did not restart')
  if (confirmed_at === undefined) return now - out_at > not_restarted_ms ? failed : undefined
  if (now - confirmed_at < restart_ms || coming === 'other') return undefined
  if (coming === 'poll') open.polled_at ??= now
  const is_late = open.polled_at !== undefined && now - open.polled_at > booted_ms
  // Nothing but a start makes it fetch its configuration then: it is not asked to.
  return is_late ? failed : coming === 'config' ? { state: 'completed' } : undefined
}

/** What its configuration asked for and is there. */
export function takeInfo(at: WantedTurn, { apps, files, parts }: There): void {
  for (const open of at.kept.open.slice()) {
    const { out_at } = open
    if (open.state === 'wait_execute' && !isLow({ ...at.kept, parts }, open)) at.kept.is_due = true
    if (open.state !== 'executing' || out_at === undefined) continue
    if (open.apps) {
      const verdict = appsVerdict(at, open.apps, apps)
      if (verdict && verdict.state === 'completed' && open.restarts) restartNext(at, open)
      else if (verdict) end(at, open, verdict)
    } else if (open.files?.every(({ path, at: wanted }) => (files.get(path) ?? 0) >= wanted)) {
      if (open.restarts) restartNext(at, open)
      else end(at, open, { state: 'completed' })
    } else if (open.packages?.every((name) => !apps.has(name)) && at.now - out_at >= settled_ms) {
      end(at, open, { state: 'completed' })
    }
  }
}

function restartNext({ kept, now }: WantedTurn, open: Open): void {
  for (const done of ['apps', 'files'] as const) delete open[done]
  open.out_at = now
  kept.is_due = true
}

function appsVerdict({ kept }: WantedTurn, wanted: WantedApp[], there: There['apps']): Ended | undefined {
  for (const app of wanted) {
    const version = there.get(app.package)
    if (version === undefined || isVersion(version, app.version)) continue
    if (compare(version, app.version) < 0 || app.is_dependency) continue
    if (!app.may_downgrade) return cannot('has_newer', `There is version ${version} of ${app.package}`.slice(0, 1_000))
    if (app.gone !== version) kept.is_due = true
    app.gone = version
  }
  const isThere = ({ package: name, version, is_dependency }: WantedApp) => {
    const now = there.get(name)
    return now !== undefined && (isVersion(now, version) || (is_dependency && compare(now, version) > 0))
  }
  // Without the versions: the link would take them for all apps that the device has.
  return wanted.every(isThere) ? { state: 'completed' } : undefined
}

/** As the agent compares them: by digits alone. */
const digits = (version: string): string => version.replaceAll(/[^\d.]/g, '')
const isVersion = (one: string, other: string): boolean => digits(one) === digits(other)
function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => digits(version).split('.').map(Number))
  for (let i = 0; i < Math.max(left!.length, right!.length); i += 1) {
    const difference = (left![i] ?? 0) - (right![i] ?? 0)
    if (difference !== 0 && !Number.isNaN(difference)) return difference
  }
  return 0
}

/** Whether it shall fetch its configuration. One that restarts or resets itself is left alone: what it does then tells. */
export function wantsConfig({ kept, now }: WantedTurn): boolean {
  const { open, out_at = 0, config } = kept
  if (open.some((each) => each.confirmed_at !== undefined && each.upload_url === undefined)) return false
  if (kept.is_due) return true
  const begun = open.flatMap((each) => (each.state === 'executing' && each.out_at !== undefined ? each.out_at : []))
  if (config && !config.is_told && config.out_at !== undefined) begun.push(config.out_at)
  const busy_ms = begun.length === 0 ? undefined : now - Math.min(...begun)
  if (busy_ms === undefined) return false
  return now - out_at > Math.min(ask_again.most_ms, Math.max(ask_again.least_ms, busy_ms / 2))
}

/** When a device that said that it resets itself is taken to have done so. */
export function resetDueOf({ open }: KeptWanted): Date | null {
  const reset = open.find(({ type, confirmed_at }) => type === 'factory_reset' && confirmed_at !== undefined)
  return reset?.confirmed_at === undefined ? null : new Date(reset.confirmed_at + silent_reset_ms)
}
