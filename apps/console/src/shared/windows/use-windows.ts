import { opens } from '@mdm/contract'
import type { MaintenanceWindow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useSessionStore } from '../../core/session-store.ts'

const none: readonly MaintenanceWindow[] = []
/** The maintenance windows of the account; none for whoever may not see them. */
export function useWindows() {
  const enabled = useSessionStore((s) => opens(api.maintenanceWindow.list, s.session?.permissions ?? []))
  const query = useCall(api.maintenanceWindow.list, {}, { enabled })
  return { windows: query.data ?? none, query }
}
