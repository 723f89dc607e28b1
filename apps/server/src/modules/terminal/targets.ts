import type { TerminalFilter } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { retrying } from '../../db/retrying.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../refusal.ts'
import type { Reach } from '../../actor.ts'
import { kidsMatching } from './list.ts'

type Db = Kysely<Tables>
/** Who changes devices: the account's scope and what of it this user reaches. */
export type Caller = { deps: Deps; scope: Db; account_kid: string; reach: Reach }
export type Targets = { kids: readonly string[] | undefined; match: TerminalFilter | undefined }

/** Devices that one transaction changes: what waits for it, devices among others, waits no longer than for so many. */
const at_once = 1_000

export const anyOf = (kids: readonly string[]) => sql<string>`any(${kids}::uuid[])`

/** Which devices are meant, each once, and whether they were named: then it is all of them or none. */
export async function resolve(caller: Caller, { kids, match }: Targets) {
  if (match) return { kids: await kidsMatching(caller, match), is_named: false }
  return { kids: [...new Set(kids)], is_named: true }
}

/** The chunks in which so many devices are changed; what was named is one. */
export const chunksOf = (kids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(kids.length / at_once) }, (_, at) => kids.slice(at * at_once, (at + 1) * at_once))

/**
 * Changes named devices in one transaction, all of them or none, or those that match chunk by chunk; a device that is
 * gone when its turn comes is left out. `run` answers how many it changed. How many that was.
 */
export async function forTargets(
  caller: Caller,
  targets: Targets,
  run: (trx: Db, kids: readonly string[]) => Promise<number>,
  { before }: { before?: (kids: readonly string[]) => Promise<void> } = {},
): Promise<number> {
  const { kids, is_named } = await resolve(caller, targets)
  await before?.(kids)
  let done = 0
  for (const chunk of chunksOf(kids))
    done += await retrying(() =>
      caller.scope.transaction().execute(async (trx) => {
        const count = await run(trx, chunk)
        if (is_named && count !== chunk.length) refuse('device_not_found')
        return count
      }),
    )
  return done
}
