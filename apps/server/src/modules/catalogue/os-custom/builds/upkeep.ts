import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../../../../deps.ts'
import { any } from '../locked-custom.ts'

/** "Log data 1 month" (specification, 9). */
const lines_ms = 31 * 24 * 3_600_000

/** Removes the files that a killed server left of builds that are over, and old lines of logs. */
export async function dropOldBuilds(deps: Deps): Promise<void> {
  const now = deps.clock.now().getTime()
  await deps.db
    .deleteFrom('os_build_line')
    .where('at', '<', new Date(now - lines_ms))
    .execute()
  const root = join(deps.config.data, 'os-builds')
  const there = (await readdir(root).catch(() => [])).filter((name) => /^[0-9a-f-]{36}$/.test(name))
  if (there.length === 0) return
  const wanted = await deps.db
    .selectFrom('os_build')
    .select('kid')
    .where('kid', '=', any(there))
    .where('state', 'in', ['waiting', 'running'])
    .execute()
  const kept = new Set(wanted.map(({ kid }) => kid))
  for (const kid of there) if (!kept.has(kid)) await rm(join(root, kid), { recursive: true, force: true })
}
