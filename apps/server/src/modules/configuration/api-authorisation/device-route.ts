import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { ApiList } from '@mdm/device-link'
import type { Deps } from '../../../deps.ts'
import { takeTry } from '../../../lib/rate-limit.ts'
import { deviceOf } from '../../../link/credentials.ts'
import { Refusal } from '../../../refusal.ts'
import { keyChanges } from '../../store/os-update/index.ts'

/** A list is up to 4 MiB: a device asks when it has changed, and seldom again where that fails. */
const fetches = { limit: 20, per_ms: 600_000 }

/** GET /device/api-authorisations: the list of the UID that the device has said last. */
export function mountApiLists(app: FastifyInstance, deps: Deps): void {
  app.get('/device/api-authorisations', async (request, reply) => {
    const { terminal_kid } = await deviceOf(deps, request.headers.authorization)
    takeTry(deps, 'api lists', fetches, terminal_kid)
    const found = await deps.db
      .selectFrom('terminal as t')
      .innerJoin('os_uid as u', (join) => join.on(sql<boolean>`lower(u.code) = lower(btrim(t.uid))`))
      .innerJoin('api_list as l', 'l.uid_kid', 'u.kid')
      .innerJoin('os_key as k', 'k.kid', 'l.key_kid')
      .select(['l.manifest', 'l.signature', 'k.public_key as key'])
      .where('t.kid', '=', terminal_kid)
      .executeTakeFirst()
    if (!found) throw new Refusal('not_found')
    const data: ApiList = { ...found, key_changes: await keyChanges(deps) }
    return reply.header('cache-control', 'no-store').send({ result: 1, message: '', data })
  })
}
