import { named_max } from '@mdm/contract'
import type { PushPreview } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import type { NamedDevice } from '../../../shared/devices-picker/chosen.ts'

const page_size = 200
/**
 * The devices of a preview, at most as many as one call names: those that get the push, or all that were looked at.
 * @throws CallFailed
 */
export async function previewedDevices(preview_kid: string, which: 'gets' | 'all'): Promise<NamedDevice[]> {
  const found: NamedDevice[] = []
  for (let page = 1; found.length < named_max; page += 1) {
    const asked = { preview_kid, ...(which === 'gets' && { is_left_out: false }), page, page_size }
    const { items } = await send(api.pushTask.paging_preview, asked)
    found.push(...items.map(({ terminal_kid: kid, reason: _, ...device }) => ({ kid, ...device })))
    if (items.length < page_size) break
  }
  return found
}

const look_ms = 500
/**
 * A preview with all of its devices: the server looks very many up in the background. `onProgress` hears how far that
 * is. It stays as it is once it is not wanted any more.
 */
export async function pollPreview(
  begun: PushPreview,
  onProgress: (listed: PushPreview['listed']) => void,
  isWanted: () => boolean,
): Promise<PushPreview> {
  const { subject, missing, missing_count } = begun
  let found = begun
  while (found.listed) {
    onProgress(found.listed)
    await new Promise((resolve) => setTimeout(resolve, look_ms))
    if (!isWanted()) break
    found = await send(api.pushTask.get_preview, { preview_kid: begun.kid })
  }
  return { ...found, subject, missing, missing_count }
}
