import { upload } from '../bulk.ts'
import type { TaskKind } from './kind.ts'

export const screenshot: TaskKind<'screenshot'> = {
  can_repeat: true,
  async execute(payload, { body, bulk, signal }) {
    const png = await body.screenshot(signal)
    const object = await upload(bulk, payload.upload_url, png, 'image/png', signal)
    return object === undefined ? {} : { object }
  },
}
