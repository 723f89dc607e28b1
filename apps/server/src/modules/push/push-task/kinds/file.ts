import { constants, subjectOf } from '@mdm/contract'
import { fileNameKey } from '@mdm/contract/file-names.ts'
import { files_of_task_max, limits } from '@mdm/device-link'
import { sql } from 'kysely'
import { assertKept, assertSound } from '../../../../files/object-checks.ts'
import { refuse } from '../../../../refusal.ts'
import { filesToPush, ownersOf } from '../../../store/file-cloud/index.ts'
import type { PushedFile } from '../../../store/file-cloud/index.ts'
import { linkSeconds } from './kind.ts'
import type { Kind, Stored } from './kind.ts'

const filesOf = (stored: Stored): PushedFile[] => stored['files'] as PushedFile[]

/** What else a task says to a device, in the message that lists its files. */
const rest_bytes = 4_096
const path_max = 1_000

/** The folder on the device that a file goes to. */
const placeOf = (path: string, { folder }: Pick<PushedFile, 'folder'>): string =>
  folder === '' ? path : `${path.replace(/\/+$/, '')}/${folder}`

export const file: Kind<'file'> = {
  async store(actor, { file_kids, path }) {
    const chosen = [...new Set(file_kids)]
    const { files, names } = await filesToPush(actor, chosen, files_of_task_max)
    if (files.length === 0) refuse('file_push_empty')
    if (files.length > files_of_task_max) refuse('file_push_too_many', { max: files_of_task_max })
    assertOnce(files)
    await assertSound(actor.deps.db, files)
    const payload = { path, file_kids: chosen, files, names }
    const said = await file.toDevice!(actor.deps, payload, {
      expires_at: actor.deps.clock.now(),
      upload_url: undefined,
    })
    const is_long = files.some((each) => placeOf(path, each).length > path_max)
    if (is_long || Buffer.byteLength(JSON.stringify(said)) > limits.packet_bytes - rest_bytes)
      refuse('file_push_too_long')
    return { payload, summary: names.join(', ').slice(0, 500) }
  },

  // Pushes of earlier releases kept the names of single files only.
  subject(stored) {
    const names = (stored['names'] as string[] | undefined) ?? filesOf(stored).map(({ name }) => name)
    return subjectOf(
      names.map((name) => ({ name })),
      String(stored['path']),
    )
  },

  shown: (stored) => ({
    path: stored['path'],
    file_kids: stored['file_kids'],
  }),

  async created(trx, actor, stored) {
    const kids = filesOf(stored).map(({ kid }) => kid)
    const { numUpdatedRows } = await trx
      .updateTable('file_cloud')
      .set({ push_count: sql`push_count + 1` })
      .where('kid', 'in', kids)
      .where('account_kid', 'in', await ownersOf(trx, actor))
      .executeTakeFirstOrThrow()
    // Deleted since it was read.
    if (Number(numUpdatedRows) !== kids.length) refuse('not_found')
    await assertSound(trx, filesOf(stored))
  },

  async withdrawn(trx, stored) {
    const kids = filesOf(stored).map(({ kid }) => kid)
    await trx
      .updateTable('file_cloud')
      .set({ push_count: sql`push_count - 1` })
      .where('kid', 'in', kids)
      .execute()
  },

  async assertRetry(stored, { trx }) {
    await assertKept(trx, 'file_cloud', filesOf(stored))
    await assertSound(trx, filesOf(stored))
  },

  async toDevice(deps, stored, { expires_at }) {
    const seconds = linkSeconds(deps, expires_at)
    return {
      files: filesOf(stored).map(({ name, size, md5, sha256, object, content_type, folder }) => ({
        name,
        size,
        md5,
        sha256,
        url: deps.signFile(object, { name, content_type, seconds }),
        path: placeOf(String(stored['path']), { folder }),
        keep_days: constants.pushed_local_file_days,
      })),
    }
  },
}

/** Of two files that are one on a device, one would be lost. */
function assertOnce(files: readonly PushedFile[]): void {
  const places = new Set<string>()
  for (const each of files) {
    const place = fileNameKey(`${placeOf('/', each)}/${each.name}`)
    if (places.has(place)) refuse('file_push_same_place', { name: each.name })
    places.add(place)
  }
}
