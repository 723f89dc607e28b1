import type { PushPreview } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'

const look_ms = 500

/**
 * A preview with all of its devices: the server looks very many up in the background. `told` hears how far that is. It
 * stays as it is once it is not wanted any more.
 */
export async function wholePreview(
  begun: PushPreview,
  told: (listed: PushPreview['listed']) => void,
  isWanted: () => boolean,
): Promise<PushPreview> {
  const { missing, missing_count } = begun
  let found = begun
  while (found.listed) {
    told(found.listed)
    await new Promise((resolve) => setTimeout(resolve, look_ms))
    if (!isWanted()) break
    found = await send(api.pushTask.get_preview, { preview_kid: begun.kid })
  }
  return { ...found, missing, missing_count }
}
