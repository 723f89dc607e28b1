import type { RemoteKind } from '@mdm/contract'
import { useMay } from '../../core/session.tsx'
import { api, useCall } from '../../core/api.ts'

/** What of a device matters here; `kinds` are those that it opens. Who may not read devices knows it by its address alone. */
export type RemoteDevice = {
  kid: string
  sn: string
  name: string
  is_online: boolean | undefined
  kinds: readonly RemoteKind[] | undefined
}
export function useRemoteDevice(kid: string): RemoteDevice & { is_pending: boolean } {
  const may_read = useMay('deviceDetailInfo')
  const { data, isPending } = useCall(api.terminal.get, { kid }, { enabled: kid !== '' && may_read })
  const sn = data?.sn ?? ''
  return {
    kid,
    sn,
    name: data?.name || sn,
    is_online: data?.is_online,
    kinds: data && (data.tunnels ?? []),
    is_pending: may_read && isPending,
  }
}
