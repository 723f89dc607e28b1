import { sql } from 'kysely'
import { withClaim } from '../../../db/claim.ts'
import type { Deps } from '../../../deps.ts'
import { objectSource } from '../../../files/object-store.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { Refusal } from '../../../refusal.ts'
import { inWorker } from '../../../workers/service.ts'

/** Reads files of models and base versions in the background: what a server that is gone had begun is begun anew. */
export const baseFiles: SharedWork = { name: 'oscs_files', every_ms: 5_000, at_once: 1, run: workOnce }

function workOnce(deps: Deps): Promise<boolean> {
  return withClaim(deps, 'oscs_file', { states: ['checking'], order: sql`r.created_at` }, async ({ row, set }) => {
    try {
      await inWorker(deps, 'os_package', {}, objectSource(deps.objects, row.object, row.size), {
        account_kid: row.kid,
        user_kid: row.created_by_kid,
      })
      await set({ state: 'ready', fault: null })
    } catch (error) {
      if (!(error instanceof Refusal) || error.refusal === 'unavailable' || error.refusal === 'too_many_requests')
        throw error
      const { refusal: name, details } = error
      await set({ state: 'failed', fault: JSON.stringify({ name, details }) })
    }
    deps.live.publish(null, { type: 'oscs_changed' })
  })
}
