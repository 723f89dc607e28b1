import { zip } from '../../apks.ts'
import type { Caller } from '../../caller.ts'
import { until } from '../../until.ts'
import { uploadFile } from '../../upload.ts'
import type { Stage } from '../stage.ts'

/** An upload whose bytes are gone from the object store. */
export async function lostUpload({ root, deps }: Stage, name: string, who: Caller = root): Promise<string> {
  const upload_kid = await uploadFile(who, name, Buffer.from(`lost ${name}`))
  const { object } = await until('the upload to be hashed', () =>
    deps.db
      .selectFrom('upload')
      .select('object')
      .where('kid', '=', upload_kid)
      .where('finished_at', 'is not', null)
      .executeTakeFirst(),
  )
  await deps.objects.delete(object!)
  return upload_kid
}

/** An archive that says that it has more files than any app has. */
export const crowdedZip = (): Buffer => zip({ count: 31_000 })
