import { named_max } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import type { NamedDevice } from '../../../shared/devices-picker/chosen.ts'

const page_size = 200
/**
 * The devices of a preview, at most as many as one call names: those that get the push, or all that were meant.
 * @throws CallFailed
 */
export async function previewed(preview_kid: string, which: 'gets' | 'meant'): Promise<NamedDevice[]> {
  const found: NamedDevice[] = []
  for (let page = 1; found.length < named_max; page += 1) {
    const asked = { preview_kid, ...(which === 'gets' && { is_left_out: false }), page, page_size }
    const { items } = await send(api.pushTask.paging_preview, asked)
    found.push(...items.map(({ terminal_kid: kid, reason: _, ...device }) => ({ kid, ...device })))
    if (items.length < page_size) break
  }
  return found
}
