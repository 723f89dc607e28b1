import { TaskFailure } from '../body/body.ts'
import type { Files } from '../body/body.ts'
import { download, upload } from '../bulk.ts'
import type { Payload } from '../bulk.ts'
import { bytesOf, fitting, most_bytes } from '../fit.ts'
import { placeOf } from '../place.ts'
import type { Methods } from '../requests.ts'

/** The reply's own JSON around the entries. */
const frame_bytes = 2_048

const assertFits = ({ size }: Payload, max_bytes: number): void => {
  if (size > max_bytes) throw new TaskFailure('too_large', `${size} bytes; ${max_bytes} are allowed`)
}

/** As much of a folder, from the name after `after` on, as one packet holds. */
export async function listFolder(files: Files, path: string, after: string | undefined) {
  const { items, has_more } = await files.list(path, after)
  const kept = fitting(items, most_bytes - frame_bytes - bytesOf(path))
  return { items: kept, next: has_more || kept.length < items.length ? (kept.at(-1)?.name ?? null) : null }
}

export const fileMethods: Methods<
  | 'file_list'
  | 'file_make_folder'
  | 'file_rename'
  | 'file_delete'
  | 'file_send'
  | 'file_fetch'
  | 'log_send'
  | 'transfer_cancel'
> = {
  file_list: ({ path, after }, { body }) => listFolder(body.files, path, after),
  async file_make_folder({ path }, { body }) {
    await body.files.make_folder(path)
    return {}
  },
  async file_rename({ path, name }, { body }) {
    await body.files.rename(path, name)
    return {}
  },
  async file_delete({ path }, { body }) {
    await body.files.remove(path)
    return {}
  },
  file_send: ({ path, upload_url, max_bytes, transfer_kid }, { body, bulk, transfers, tell }) =>
    transfers.run(transfer_kid, tell, async (signal, on_progress) => {
      const file = await body.files.read(path)
      assertFits(file, max_bytes)
      await upload(bulk, upload_url, file, 'application/octet-stream', signal, (sent) =>
        on_progress((sent / Math.max(1, file.size)) * 100),
      )
      return { size: file.size }
    }),
  file_fetch: ({ transfer_kid, file }, { body, bulk, transfers, tell }) =>
    transfers.run(transfer_kid, tell, (signal, on_progress) =>
      bulk.turns(placeOf(file), async () => {
        signal.throwIfAborted()
        const landing = await body.land(file, { is_kept: true })
        try {
          await download(bulk, file, landing, signal, (got) => on_progress((got / Math.max(1, file.size)) * 100))
          signal.throwIfAborted()
          return { path: await landing.place() }
        } finally {
          await landing.close()
        }
      }),
    ),
  log_send: ({ upload_url, max_bytes, transfer_kid }, { bulk, journal, transfers, tell }) =>
    transfers.run(transfer_kid, tell, async (signal) => {
      const zipped = await journal.zipped()
      const payload: Payload = { size: zipped.length, open: () => [zipped] }
      assertFits(payload, max_bytes)
      await upload(bulk, upload_url, payload, 'application/gzip', signal)
      return { size: zipped.length }
    }),
  async transfer_cancel({ transfer_kid }, { transfers }) {
    transfers.stop(transfer_kid)
    return {}
  },
}
