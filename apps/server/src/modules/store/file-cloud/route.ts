import { isKid } from '@mdm/device-link'
import { sql } from 'kysely'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { deviceOf } from '../../../link/credentials.ts'
import { Refusal } from '../../../refusal.ts'
import { any } from './space.ts'

const page_size = 200

/**
 * GET /device/files with `Authorization: Bearer {terminal_kid}:{secret}`: what a device sees of the file cloud of its
 * account and of the provider's, one folder at a time. `folder` is the kid of one, the top when absent; `after` is the
 * `next` of the part before. What is hidden, or lies below something hidden, is as unknown as what never was.
 */
export function mountDeviceFiles(app: FastifyInstance, deps: Deps): void {
  app.get('/device/files', async (request, reply) => {
    const { account_kid } = await deviceOf(deps, request.headers.authorization)
    const { folder, after } = request.query as { folder?: unknown; after?: unknown }
    const items = await visible(deps, account_kid, kidOf(folder), kidOf(after))
    const rest = items.length > page_size
    const shown = items.slice(0, page_size)
    return reply.header('cache-control', 'no-store').send({
      result: 1,
      message: '',
      data: {
        items: shown.map(({ object, content_type, ...row }) => ({
          ...row,
          url: object === null ? null : deps.signFile(object, { name: row.name, content_type }),
        })),
        next: rest ? shown.at(-1)!.kid : null,
      },
    })
  })
}

function kidOf(given: unknown): string | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'string' || !isKid(given)) throw new Refusal('not_found')
  return given
}

async function visible(deps: Deps, account_kid: string, folder: string | undefined, after: string | undefined) {
  const providers = await deps.db.selectFrom('account').select('kid').where('type', '=', 101).execute()
  const owners = [account_kid, ...providers.map(({ kid }) => kid)]
  if (folder !== undefined && !(await isVisible(deps, owners, folder))) throw new Refusal('not_found')
  return deps.db
    .selectFrom('file_cloud')
    .select(['kid', 'name', 'is_folder', 'size', 'md5', 'sha256', 'object', 'content_type'])
    .where('account_kid', '=', any(owners))
    .where('parent_kid', folder === undefined ? 'is' : '=', folder ?? null)
    .where('is_visible', '=', true)
    .$if(after !== undefined, (q) => q.where('kid', '>', after!))
    .orderBy('kid')
    .limit(page_size + 1)
    .execute()
}

/** A folder of one of these accounts that neither is hidden nor lies in one that is. */
async function isVisible(deps: Deps, owners: readonly string[], folder: string): Promise<boolean> {
  const { rows } = await sql<{ is_seen: boolean | null }>`
    WITH RECURSIVE above AS (
      SELECT parent_kid, is_visible FROM file_cloud
        WHERE kid = ${folder} AND is_folder AND account_kid = ANY(${owners}::uuid[])
      UNION ALL SELECT f.parent_kid, f.is_visible FROM file_cloud f JOIN above ON f.kid = above.parent_kid
    ) SELECT bool_and(is_visible) AS is_seen FROM above`.execute(deps.db)
  return rows[0]?.is_seen === true
}
