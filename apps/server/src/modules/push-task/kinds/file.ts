import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import { refuse } from '../../../refusal.ts'
import { ownersOf } from '../../file-cloud/service.ts'
import { linkSeconds } from '../expiry.ts'
import type { Kind } from './kind.ts'

type File = {
  kid: string
  name: string
  size: number
  md5: string
  sha256: string
  object: string
  content_type: string
}
const columns = ['kid', 'name', 'size', 'md5', 'sha256', 'object', 'content_type'] as const

export const file: Kind<'file'> = {
  async store(actor, { file_kids, path }) {
    const { db } = actor.deps
    const wanted = [...new Set(file_kids)]
    const found = await db
      .selectFrom('file_cloud')
      .select(columns)
      .where('kid', 'in', wanted)
      .where('account_kid', 'in', await ownersOf(db, actor))
      .execute()
    // Folders have no object.
    const rows = found.flatMap(({ object, ...row }) => (object === null ? [] : { ...row, object }))
    if (rows.length !== wanted.length) refuse('not_found')
    const files: File[] = wanted.map((kid) => rows.find((row) => row.kid === kid)!)
    const summary = files.map(({ name }) => name).join(', ')
    return { payload: { path, files }, summary: summary.slice(0, 500) }
  },

  shown: ({ path, files }) => ({ path, file_kids: (files as File[]).map(({ kid }) => kid) }),

  async created(trx, actor, stored) {
    const kids = (stored['files'] as File[]).map(({ kid }) => kid)
    const { numUpdatedRows } = await trx
      .updateTable('file_cloud')
      .set({ push_count: sql`push_count + 1` })
      .where('kid', 'in', kids)
      .where('account_kid', 'in', await ownersOf(trx, actor))
      .executeTakeFirstOrThrow()
    // Deleted since it was read.
    if (Number(numUpdatedRows) !== kids.length) refuse('not_found')
  },

  async toDevice(deps, { path, files }, { expires_at }) {
    const seconds = linkSeconds(deps, expires_at)
    return {
      files: (files as File[]).map(({ name, size, md5, sha256, object, content_type }) => ({
        name,
        size,
        md5,
        sha256,
        url: deps.signFile(object, { name, content_type, seconds }),
        path,
        keep_days: constants.pushed_local_file_days,
      })),
    }
  },
}
