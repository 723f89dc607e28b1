import type { Targets } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { kidsMatching } from './find.ts'

type Db = Kysely<Tables>

/** Devices that one transaction changes: what waits for it, devices among others, waits no longer than for so many. */
const at_once = 1_000

export const anyOf = (kids: readonly string[]) => sql<string>`any(${kids}::uuid[])`

/**
 * Which devices are meant, each once, in the order of their kids. `named` are all of them or none: one that is not within
 * the actor's reach refuses the call as `device_not_found`. What matches is as many as there are.
 */
export async function resolveTargets(
  actor: Actor,
  { terminal_kids, match }: Targets,
): Promise<{ kids: string[]; named: ReadonlySet<string> }> {
  const named = new Set(terminal_kids)
  if (named.size > 0) await assertThere(actor.scope, [...named])
  const kids = new Set(named)
  if (match) for (const kid of await kidsMatching(actor, match)) kids.add(kid)
  return { kids: [...kids].sort(), named }
}

/** All of these are in the account and within reach. @throws `device_not_found` */
export async function assertThere(scope: Db, kids: readonly string[]): Promise<void> {
  const { n } = await scope
    .selectFrom('terminal')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('kid', '=', anyOf(kids))
    .executeTakeFirstOrThrow()
  if (n < new Set(kids).size) refuse('device_not_found')
}

/** The chunks in which so many devices are changed; what was named is one. */
export const chunksOf = (kids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(kids.length / at_once) }, (_, at) => kids.slice(at * at_once, (at + 1) * at_once))

/**
 * Changes named devices in one transaction, all of them or none, or those that match chunk by chunk; a device that is
 * gone when its turn comes is left out. `run` answers how many it changed. How many that was.
 */
export async function forTargets(
  actor: Actor,
  targets: Targets,
  run: (trx: Db, kids: readonly string[]) => Promise<number>,
  { before }: { before?: (kids: readonly string[]) => Promise<void> } = {},
): Promise<number> {
  const { kids, named } = await resolveTargets(actor, targets)
  await before?.(kids)
  let done = 0
  for (const chunk of chunksOf(kids))
    done += await retrying(() =>
      actor.scope.transaction().execute(async (trx) => {
        const count = await run(trx, chunk)
        if (named.size > 0 && count !== chunk.length) refuse('device_not_found')
        return count
      }),
    )
  return done
}
