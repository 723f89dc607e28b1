import { constants } from '@mdm/contract'
import type { Kind } from './kind.ts'

/** Its slot keeps every log as gzip, also one that came as text. */
export const remote_log: Kind<'remote_log'> = {
  toDevice: async (_deps, _stored, { upload_url }) => ({ upload_url }),
  uploads: {
    kind: 'remote_log',
    max_bytes: constants.device_log_max_bytes,
    content_type: 'application/gzip',
    name: (sn) => `${sn.replaceAll(':', '-')}.log.gz`,
    missing: 'no_log',
  },
}
