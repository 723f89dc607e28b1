import { downTopic, limits, packetBytes } from '@mdm/device-link'
import type { DownName } from '@mdm/device-link'
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'

/** A row of what is owed, with the device that it is owed to and the largest packet that this takes. */
export type OwedRow = { terminal_kid: string; max_packet: number | null }
/** A message that is ready to go, and the row that it pays. */
export type Parcel<Row> = { row: Row; name: DownName; payload: string }

/** The transaction that takes rows: what it decides is sent only once it is committed. */
export type Taking = {
  trx: Transaction<Tables>
  now: Date
  /** Runs after the commit. */
  after(effect: () => void): void
  /** Devices that have as many unacknowledged messages as they may have. Their rows stay due. */
  full: readonly string[]
  /** How many messages more a device may be sent. */
  room(terminal_kid: string): number
}
export type Taken<Row> = {
  /** How many rows were due; as many as `batch_size` means that there may be more. */
  due: number
  /** Devices whose rows were put off because they were not there. */
  away: string[]
  /** Writes what is to be sent, after the commit. What cannot be written is logged and left out. */
  write(): Promise<Parcel<Row>[]>
}

/**
 * One kind of what devices are owed: rows of a table, of which each falls due at its `send_at`. The rows are the truth: they get
 * their next time before anything is sent, so that a crash sends twice rather than never.
 */
export type Owed<Row extends OwedRow> = {
  /** With the column `send_at`, null of a row of which nothing is owed. */
  table: 'push_task_terminal' | 'terminal_config_delivery'
  /** Rows of one transaction. */
  batch_size: number
  /** Takes a batch of the rows that are due to devices of this node, and gives each its next time. */
  take(taking: Taking): Promise<Taken<Row>>
  /** Rows whose message is more than their device takes: they were not sent. */
  refuseLarge(rows: { row: Row; beyond: Beyond }[]): Promise<void>
  /** Makes due what devices are owed that have come back since they were found away. Whether anything is due now. */
  recall?(terminal_kids: string[]): Promise<boolean>
}

/** After so long without the device's answer a message is sent again, ever more rarely. */
const resend_ms = [5_000, 30_000, 120_000, 600_000] as const
export const resendAfter = (now: Date, sends: number): Date =>
  new Date(now.getTime() + resend_ms[Math.min(sends, resend_ms.length - 1)]!)

/** How many bytes a packet has that its device does not take, and how many it takes. */
export type Beyond = { bytes: number; max_packet: number }

/** Undefined of a message that its device takes. */
export function beyondPacket({
  row: { terminal_kid, max_packet },
  name,
  payload,
}: Parcel<OwedRow>): Beyond | undefined {
  const bytes = packetBytes(downTopic(terminal_kid, name), payload)
  const most = max_packet ?? limits.packet_bytes
  return bytes > most ? { bytes, max_packet: most } : undefined
}
