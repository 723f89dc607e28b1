import * as z from 'zod'
import type { Readiness } from '../http/readiness.ts'
import type { Moved } from './move/move.ts'

/** What the `mdm` command asks of the server that runs on the same data folder, one line of JSON each. */
export const Ask = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('state') }),
  z.object({ ask: z.literal('begin_backup') }),
  z.object({ ask: z.literal('end_backup') }),
  z.object({ ask: z.literal('note_backup'), bytes: z.number().int().min(0), files: z.number().int().min(0) }),
  z.object({ ask: z.literal('reset_password'), username: z.string().min(1).max(200) }),
  z.object({
    ask: z.literal('move'),
    to: z.object({
      database_url: z.string(),
      data: z.string(),
      secret_key: z.string().optional(),
      s3: z
        .object({ url: z.string(), region: z.string(), access_key_id: z.string(), secret_access_key: z.string() })
        .optional(),
    }),
  }),
  z.object({ ask: z.literal('activate'), code: z.string().min(1).max(20_000) }),
])
export type Ask = z.output<typeof Ask>

export type ServerState = Readiness & {
  node_kid: string
  version: string
  http_port: number
  clock_doubt: string | null
  certificate_ends_at: string | null
  /** Why the authority gave no newer one. */
  certificate_fault: string | null
}
/** Of the embedded database: the label that a copy of its files needs, and the first and last file of its log that belong to it. */
export type EndedBackup = { label: string; first_wal: string; last_wal: string }

export type Answers = {
  state: ServerState
  begin_backup: { database: 'embedded' | 'postgres' }
  end_backup: EndedBackup | { label: null }
  note_backup: { at: string }
  reset_password: { password: string }
  move: Moved
  activate: { name: string; ends_at: string }
}
export const Answer = z.union([z.object({ answer: z.unknown() }), z.object({ fault: z.string() })])

/** The longest line that either side takes. */
export const line_max = 64 * 1024
/** A socket's path has 108 bytes at most. */
export const path_max = 107
