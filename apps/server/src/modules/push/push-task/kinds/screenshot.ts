import type { Kind } from './kind.ts'

export const screenshot: Kind<'screenshot'> = {
  toDevice: async (_deps, _stored, { upload_url }) => ({ upload_url }),
  uploads: {
    kind: 'screenshot',
    max_bytes: 32 * 1024 ** 2,
    content_type: 'image/png',
    name: (sn) => `screenshot-${sn}.png`,
    missing: 'no_picture',
  },
}
