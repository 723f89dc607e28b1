import type { Deps } from '../../deps.ts'
import type { ForAgent } from './check-in.ts'
import { writeKeptRow } from '../shared/kept-row.ts'
import { readKept } from './kept.ts'

/**
 * Of an answer that did not leave nothing was carried out: the device says at its next check-in that it holds none of those tasks, so
 * that they are sent again.
 */
export async function giveBack(deps: Deps, kid: string, commands: readonly ForAgent[]): Promise<void> {
  const kept = await readKept(deps, kid)
  if (!kept) return
  const ids = commands.map(({ commandId }) => commandId)
  const isLost = (start: string): boolean => ids.some((id) => id.startsWith(start))
  kept.open = kept.open.filter((open) => !isLost(`${open.task_kid}.${open.attempt}.${open.times}.`))
  delete kept.hello
  if (kept.config && isLost(`config.${kept.config.version}.`)) kept.config.out_at = 0
  if (isLost('scan.')) delete kept.scanned_at
  await writeKeptRow(deps, kid, kept, null)
}
