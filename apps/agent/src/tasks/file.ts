import { TaskFailure } from '../body/body.ts'
import { download } from '../bulk.ts'
import { placeOf } from '../place.ts'
import type { TaskKind } from './kind.ts'
import { assertRoom } from './room.ts'

/** Every file is verified before the first one is put in place. */
export const file: TaskKind<'file'> = {
  what: 'put files on this device',
  can_repeat: true,
  async fetch({ files }, { body, bulk, signal }, on_progress) {
    const total = Math.max(
      1,
      files.reduce((sum, { size }) => sum + size, 0),
    )
    await assertRoom(body, files, (index) => body.land(files[index]!))
    let done = 0
    for (const one of files) {
      await bulk.turns(placeOf(one), async () => {
        signal.throwIfAborted()
        const landing = await body.land(one)
        try {
          await download(bulk, one, landing, signal, (bytes) => on_progress(((done + bytes) / total) * 100))
        } finally {
          await landing.close()
        }
      })
      done += one.size
    }
  },
  async execute({ files }, { body, bulk, pushed }) {
    const places: string[] = []
    for (const one of files)
      await bulk.turns(placeOf(one), async () => {
        const landing = await body.land(one)
        try {
          // It may have waited for hours, or for a restart, since it was fetched.
          if (landing.digests().sha256 !== one.sha256)
            throw new TaskFailure('hash_mismatch', `${one.name} changed on the device`)
          if (one.keep_days !== undefined)
            await pushed.note({ path: placeOf(one), sha256: one.sha256, days: one.keep_days })
          places.push(await landing.place())
        } finally {
          await landing.close()
        }
      })
    return { text: places.join('\n').slice(0, 4000) }
  },
}
