import { TaskFailure } from '../body/body.ts'
import { download } from '../bulk.ts'
import type { TaskKind } from './kind.ts'

/** Verified, put in place, and then handed to whatever the device reads configuration files with. */
export const config_file: TaskKind<'config_file'> = {
  what: 'put a configuration file on this device',
  can_repeat: true,
  async fetch({ file }, { body, bulk, signal }, on_progress) {
    const landing = await body.land(file)
    try {
      await download(bulk, file, landing, signal, (bytes) => on_progress((bytes / Math.max(1, file.size)) * 100))
    } finally {
      await landing.close()
    }
  },
  async execute({ file }, { body, signal }) {
    const landing = await body.land(file)
    try {
      // It may have waited for hours, or for a restart, since it was fetched.
      if (landing.digests().sha256 !== file.sha256)
        throw new TaskFailure('hash_mismatch', `${file.name} changed on the device`)
      const place = await landing.place()
      const said = await body.read_config_file(place, signal)
      return { text: [place, said].filter(Boolean).join('\n').slice(0, 4000) }
    } finally {
      await landing.close()
    }
  },
}
