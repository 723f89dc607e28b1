import { useEffect, useState, useSyncExternalStore } from 'react'
import { constants } from '@mdm/contract'
import type { RemoteKind, RemoteTicket } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import { serverUrl } from '../../../core/base-url.ts'
import { TunnelChannel } from './channel.ts'
import { RemoteConnection } from './connection.ts'
import type { Connection, Doors } from './connection.ts'

/** What was asked for: a session of one's own, or one that is open. */
export type Wanted = {
  kind: RemoteKind
  terminal_kid: string
  session_kid?: string | undefined
  view_only: boolean
  asks_consent: boolean
  size?: { columns: number; rows: number }
}

/** The person at the device is given a minute; the answer must not be given up before it is there. */
const patience_ms = constants.request_timeout_ms + 30_000

function doorsOf({ kind, terminal_kid, view_only, size }: Wanted): Doors {
  const { open_desktop, open_terminal, open_log, open_files, join } = api.terminalRemote
  return {
    open() {
      if (kind === 'desktop') return send(open_desktop, { terminal_kid, view_only }, undefined, patience_ms)
      if (kind === 'terminal') return send(open_terminal, { terminal_kid, ...size }, undefined, patience_ms)
      return send(kind === 'log' ? open_log : open_files, { terminal_kid }, undefined, patience_ms)
    },
    join: (session_kid) => send(join, { session_kid }, undefined, patience_ms),
    channel: (ticket, ends) => new TunnelChannel(addressOf(ticket), ticket.ticket, ends),
  }
}

/** Beside the calls: a private deployment may serve its console from elsewhere. */
function addressOf({ url }: RemoteTicket): string {
  const address = new URL(serverUrl(url), location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  return address.href
}

export const connectionOf = (wanted: Wanted): RemoteConnection =>
  new RemoteConnection(doorsOf(wanted), { ...wanted, has_pictures: wanted.kind === 'desktop' })

/** A connection that lasts as long as what shows it. */
export function useConnection(wanted: Wanted): readonly [RemoteConnection, Connection] {
  const [connection] = useState(() => connectionOf(wanted))
  useEffect(() => {
    connection.start()
    // A page that is left closes nothing by itself.
    const leave = () => connection.leave()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [connection])
  return [connection, useSyncExternalStore(connection.subscribe, connection.current)]
}
