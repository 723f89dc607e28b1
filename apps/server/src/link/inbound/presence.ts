import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { newKid } from '../../lib/ids.ts'
import { checked_in } from '../peer.ts'
import type { Device } from './device.ts'
import type { Batch, ItemOf } from './items.ts'

type Session = {
  epoch: string
  account_kid: string
  terminal_kid: string
  node_kid: string | null
  address: string
  connected_at: Date
}

/** A new connection is the current one from now on, whatever becomes of those before it. */
export async function connected(batch: Batch, items: ItemOf<'connected'>[]): Promise<void> {
  const { deps, devices } = batch
  const sessions: Session[] = []
  for (const { kid, peer, node_kid, at } of items) {
    const device = devices.get(kid)
    // Said once more over the same connection.
    if (!device || (device.is_online && device.epoch === peer.epoch)) continue
    sessions.push(begin(device, { ...peer, node_kid: node_kid ?? deps.node_kid, at }))
    Object.assign(device, { transport: peer.transport, silent_at: null })
    Object.assign(device.link, { is_changed: true, node_kid, public_ip: peer.address })
  }
  await insertSessions(batch, sessions)
}

/** A device that checks in has a session from the first time on. One that is connected as well stays so. */
export async function checkedIn(batch: Batch, items: ItemOf<'checked_in'>[]): Promise<void> {
  const sessions: Session[] = []
  for (const { kid, address, silent_at, node_kid, at } of items) {
    const device = batch.devices.get(kid)
    if (!device) continue
    device.last_contact_at = at
    if (device.is_online && device.transport !== checked_in) continue
    if (device.is_online) device.last_online_at = at
    else sessions.push(begin(device, { epoch: newKid(), address, node_kid: null, at }))
    Object.assign(device, { transport: checked_in, silent_at })
    Object.assign(device.link, { is_changed: true, node_kid, public_ip: address })
  }
  await insertSessions(batch, sessions)
}

function begin(
  device: Device,
  { epoch, address, node_kid, at }: Pick<Session, 'epoch' | 'address' | 'node_kid'> & { at: Date },
) {
  device.is_shown ||= !device.is_online
  device.is_online = true
  device.is_asleep = false
  device.epoch = epoch
  device.connected_at = at
  device.last_online_at = at
  const { account_kid, terminal_kid } = device
  return { epoch, account_kid, terminal_kid, node_kid, address, connected_at: at }
}

async function insertSessions({ trx }: Batch, sessions: readonly Session[]): Promise<void> {
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
  for (const { kid, epoch, at, is_silent, is_asleep = false } of items) {
    const device = devices.get(kid)
    if (!device) continue
    if (is_silent && device.silent_at !== null && device.silent_at > at) continue
    ends.push({ account_kid: device.account_kid, terminal_kid: kid, epoch, at })
    if (device.epoch !== epoch || !device.is_online) continue
    device.is_online = false
    device.is_asleep = is_asleep
    device.silent_at = null
    after(() => outbound.left(kid))
    device.last_online_at = at
    device.link.is_changed = true
    device.is_shown = true
  }
  if (ends.length === 0) return
  await sql`
    UPDATE terminal_session s SET disconnected_at = r.at
    FROM ${records(ends).as('r(account_kid uuid, terminal_kid uuid, epoch text, at timestamptz)')}
    WHERE s.account_kid = r.account_kid AND s.terminal_kid = r.terminal_kid AND s.epoch = r.epoch AND s.disconnected_at IS NULL
  `.execute(trx)
}
