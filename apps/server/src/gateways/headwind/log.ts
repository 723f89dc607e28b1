import { isLogging, keepLines } from '../shared/collected-log.ts'
import { cannot } from '../shared/refusals.ts'
import { end } from '../shared/wanted-verdicts.ts'
import { isRestart } from '../shared/wanted-work.ts'
import type { Open } from '../shared/wanted-work.ts'
import { agent_package } from './kept.ts'
import type { Turn } from './kept.ts'
import { readLines } from './said.ts'

const levels = { info: 3, debug: 4 }
/** So often a download may fail. */
const failures_max = 3

/** What the agent shall tell of its log: all of it for a while, or what says why its work fails. */
export function rulesFor({ kept, now }: Turn): object[] {
  const logging = isLogging(kept)
  if (logging) logging.confirmed_at ??= now
  const logLevel = logging ? levels.debug : kept.open.length > 0 ? levels.info : undefined
  return logLevel === undefined ? [] : [{ packageId: agent_package, logLevel, filter: '' }]
}

const final = [
  /Install failed: /,
  /^Failed to (create file|install app) /,
  /^Skip download due to previous install failure/,
]
const of_itself: [RegExp, (open: Open) => boolean][] = [
  [/^Reboot failed/, isRestart],
  [/^Device reset failed/, ({ type }) => type === 'factory_reset'],
]

/** Lines of its log, in which alone the agent says that it could not do something. */
export function takeLines(at: Turn, body: unknown): void {
  const lines = readLines(body)
  keepLines(
    at,
    lines.map(({ line }) => line),
  )
  for (const { text } of lines)
    for (const open of at.kept.open.slice()) {
      if (open.state !== 'executing') continue
      const names = [...(open.apps ?? []).map((app) => app.package), ...(open.files ?? []).map(({ path }) => path)]
      const is_of_it = names.some((name) => text.split(/[\s:]+/).includes(name) || text.includes(` ${name}: `))
      if (is_of_it && text.startsWith('Failed to download ')) open.failures = (open.failures ?? 0) + 1
      const is_final = is_of_it && (final.some((each) => each.test(text)) || (open.failures ?? 0) >= failures_max)
      if (is_final || of_itself.some(([said, isOf]) => said.test(text) && isOf(open)))
        end(at, open, cannot('command_failed', text))
    }
}
