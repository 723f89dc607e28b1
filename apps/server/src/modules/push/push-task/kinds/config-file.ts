import { sql } from 'kysely'
import { assertKept } from '../../../../files/object-checks.ts'
import { contentTypeOf } from '../../../../files/names.ts'
import { refuse } from '../../../../refusal.ts'
import { linkSeconds } from './kind.ts'
import type { Kind } from './kind.ts'

type File = { kid: string; name: string; size: number; md5: string; sha256: string; object: string; path: string }
const columns = ['kid', 'name', 'size', 'md5', 'sha256', 'object', 'path'] as const

export const config_file: Kind<'config_file'> = {
  async store({ scope }, { config_file_kid }) {
    const file = await scope
      .selectFrom('config_file')
      .select(columns)
      .where('kid', '=', config_file_kid)
      .executeTakeFirst()
    if (!file) return refuse('not_found')
    return { payload: { file }, summary: file.name }
  },

  shown: ({ file }) => ({ config_file_kid: (file as File).kid }),

  async created(trx, { account_kid }, stored) {
    const { numUpdatedRows } = await trx
      .updateTable('config_file')
      .set({ push_count: sql`push_count + 1` })
      .where('kid', '=', (stored['file'] as File).kid)
      .where('account_kid', '=', account_kid)
      .executeTakeFirstOrThrow()
    // Deleted since it was read.
    if (numUpdatedRows !== 1n) refuse('not_found')
  },

  async withdrawn(trx, stored) {
    await trx
      .updateTable('config_file')
      .set({ push_count: sql`push_count - 1` })
      .where('kid', '=', (stored['file'] as File).kid)
      .execute()
  },

  assertRetry: (stored, { trx }) => assertKept(trx, 'config_file', [stored['file'] as File]),

  async toDevice(deps, stored, { expires_at }) {
    const { name, size, md5, sha256, object, path } = stored['file'] as File
    const content_type = contentTypeOf(name)
    const url = deps.signFile(object, { name, content_type, seconds: linkSeconds(deps, expires_at) })
    return { file: { name, size, md5, sha256, url, path } }
  },
}
