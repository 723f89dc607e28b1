import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { newMemory } from '../memory.ts'

/** Another server on the same database, which has just said that it lives. */
export async function otherServer<D extends Deps>(
  deps: D,
): Promise<D & { goSilent(): Promise<void>; die(): Promise<void> }> {
  const node_kid = newKid()
  const now = deps.clock.now()
  await deps.db.insertInto('node').values({ kid: node_kid, started_at: now, seen_at: now }).execute()
  return {
    ...deps,
    node_kid,
    memory: newMemory(),
    /** It has not said for a minute that it lives. */
    async goSilent() {
      await deps.db
        .updateTable('node')
        .set({ heard_at: sql`now() - interval '1 minute'` })
        .where('kid', '=', node_kid)
        .execute()
    },
    /** It has ended, or was buried. */
    async die() {
      await deps.db.deleteFrom('node').where('kid', '=', node_kid).execute()
    },
  }
}
