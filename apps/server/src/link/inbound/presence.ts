import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import type { Batch, ItemOf } from './items.ts'

/** A new connection is the current one from now on, whatever becomes of those before it. */
export async function connected({ trx, deps, devices }: Batch, items: ItemOf<'connected'>[]): Promise<void> {
  const sessions = []
  for (const { kid, peer, node_kid, at } of items) {
    const device = devices.get(kid)
    // Said once more over the same connection.
    if (!device || (device.is_online && device.epoch === peer.epoch)) continue
    sessions.push({
      epoch: peer.epoch,
      account_kid: device.account_kid,
      terminal_kid: kid,
      node_kid: node_kid ?? deps.node_kid,
      address: peer.address,
      connected_at: at,
    })
    device.is_shown ||= !device.is_online
    device.is_online = true
    device.epoch = peer.epoch
    device.connected_at = at
    device.last_online_at = at
    Object.assign(device.link, { is_changed: true, node_kid, transport: peer.transport, public_ip: peer.address })
  }
  if (sessions.length === 0) return
  await sql`
    INSERT INTO terminal_session (epoch, account_kid, terminal_kid, node_kid, address, connected_at)
    SELECT * FROM ${records(sessions).as(`r(epoch text, account_kid uuid, terminal_kid uuid, node_kid uuid,
      address text, connected_at timestamptz)`)}
  `.execute(trx)
}

/** Only the end of the current connection sets a device offline: the others are late news. */
export async function disconnected(
  { trx, devices, after, outbound }: Batch,
  items: ItemOf<'disconnected'>[],
): Promise<void> {
  const ends = []
  for (const { kid, epoch, at } of items) {
    const device = devices.get(kid)
    if (!device) continue
    ends.push({ terminal_kid: kid, epoch, at })
    if (device.epoch !== epoch || !device.is_online) continue
    device.is_online = false
    after(() => outbound.left(kid))
    device.last_online_at = at
    device.link.is_changed = true
    device.is_shown = true
  }
  if (ends.length === 0) return
  await sql`
    UPDATE terminal_session s SET disconnected_at = r.at
    FROM ${records(ends).as('r(terminal_kid uuid, epoch text, at timestamptz)')}
    WHERE s.terminal_kid = r.terminal_kid AND s.epoch = r.epoch AND s.disconnected_at IS NULL
  `.execute(trx)
}
