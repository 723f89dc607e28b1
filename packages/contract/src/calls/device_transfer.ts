import * as z from 'zod'
import { Bytes, Instant, Kid } from '../wire.ts'

export const transferKinds = ['download', 'upload', 'log'] as const
export const transferStates = ['running', 'completed', 'failed', 'canceled'] as const
export type TransferState = (typeof transferStates)[number]

/** A file on its way from a device or to it. The bytes are kept for 30 days. */
export const DeviceTransfer = z.object({
  kid: Kid,
  terminal_kid: Kid,
  kind: z.enum(transferKinds).describe('download: from the device; upload: to the device; log: the log of its agent'),
  path: z.string().describe('on the device; empty for a log'),
  name: z.string(),
  size: Bytes.nullable().describe('null until the device has said it'),
  state: z.enum(transferStates),
  progress: z.number().min(0).max(100),
  code: z.string().nullable().describe('why it failed: interrupted, offline, timeout, or the device’s own word'),
  message: z.string().nullable(),
  sha256: z.string().nullable(),
  url: z.string().nullable().describe('signed download address, one hour; null until completed'),
  created_at: Instant,
  created_by: z.string(),
  finished_at: Instant.nullable(),
  expires_at: Instant.describe('when the bytes are removed'),
})
export type DeviceTransfer = z.output<typeof DeviceTransfer>

/** When a device that is offline last said what is shown. */
export const ReportedAt = Instant.nullable().describe('null: just now; else when the device, now offline, last said it')

/** What any request to a device may be refused with. */
export const askErrors = [
  'device_not_online',
  'device_no_answer',
  'device_answer_invalid',
  'device_not_supported',
  'device_refused',
] as const
export const transferErrors = ['device_not_online', 'storage_exceeded'] as const
