import { configTypes, ltscopes } from '@mdm/contract'
import type { Session } from '@mdm/contract'
import type { ConfigValues } from '@mdm/contract/config/sections.ts'
import { create } from 'zustand'
import { api, send } from './api.ts'
import { isOutside } from './access.ts'

type Defaults = {
  of: string | null
  map_type: ConfigValues['map_type']['map_type'] | null
  columns: ConfigValues['list_columns'] | null
}
const nothing: Defaults = { of: null, map_type: null, columns: null }

/** What the account sets for people who have chosen nothing themselves: which map, and the columns of the device list. */
export const useAccountDefaults = create<Defaults>(() => nothing)

/** Read at the start and whenever the account that is acted for is another one. Without them everything goes on as delivered. */
export async function loadAccountDefaults(session: Session): Promise<void> {
  const { account_kid: of } = session
  if (useAccountDefaults.getState().of === of) return
  useAccountDefaults.setState({ ...nothing, of })
  if (isOutside(session)) return
  const types = `${configTypes.event},${configTypes.self_defined_list}`
  const found = await send(api.terminalConfig.current_config, { types, ltscope: ltscopes.account }).catch(
    () => undefined,
  )
  if (!found || useAccountDefaults.getState().of !== of) return
  useAccountDefaults.setState({
    map_type: found.map_type?.value?.map_type ?? null,
    columns: found.list_columns?.value ?? null,
  })
}
