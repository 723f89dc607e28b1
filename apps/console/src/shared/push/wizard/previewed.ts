import { named_max } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import type { NamedDevice } from '../../devices-picker/chosen.ts'

const page_size = 200
/** The devices that a preview found, at most as many as one call names. @throws CallFailed */
export async function previewed(preview_kid: string): Promise<NamedDevice[]> {
  const found: NamedDevice[] = []
  for (let page = 1; found.length < named_max; page += 1) {
    const { items } = await send(api.pushTask.paging_preview, { preview_kid, is_left_out: false, page, page_size })
    found.push(...items.map(({ terminal_kid, sn, name }) => ({ kid: terminal_kid, sn, name })))
    if (items.length < page_size) break
  }
  return found
}
