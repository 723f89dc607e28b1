import * as z from 'zod'
import { Count, Instant, Kid } from '../wire.ts'

/** What waits for the servers to do it, in the order in which people look. */
export const serverQueues = ['push', 'config', 'webhook', 'mail', 'export', 'os_build'] as const
export type ServerQueue = (typeof serverQueues)[number]
/** A queue is not counted beyond. */
export const queue_count_max = 10_000

export const ServerStatus = z.object({
  nodes: z
    .array(
      z.object({
        kid: Kid,
        version: z.string().nullable().describe('null: an older server that does not say'),
        url: z.string().nullable().describe('where other servers reach it; null until it listens'),
        started_at: Instant,
        heard_at: Instant.describe('its last sign of life'),
        is_alive: z.boolean(),
        is_this: z.boolean().describe('it answers this call'),
        clock_apart_ms: z.number().int().nullable().describe('how far its clock is before that of the database'),
      }),
    )
    .describe('servers of this database, oldest first'),
  parts: z
    .object({ database: z.boolean(), broker: z.boolean(), objects: z.boolean(), disk: z.boolean() })
    .describe('whether the server that answers can use each'),
  database: z.object({
    kind: z.enum(['embedded', 'postgres']),
    version: z.string(),
    bytes: Count,
    connections: z.object({ used: Count, max: Count }).nullable().describe('null for the embedded database'),
    replica_is_used: z.boolean().nullable().describe('by lists and exports; null without DATABASE_REPLICA_URL'),
  }),
  broker: z.object({ kind: z.enum(['embedded', 'external']), online: Count.describe('devices, of all servers') }),
  storage: z.object({
    kind: z.enum(['folder', 'bucket']),
    used: Count.describe('bytes of files of all accounts'),
    free: Count.describe('bytes on the disk of MDM_DATA, of the server that answers'),
  }),
  queues: z
    .array(
      z.object({
        name: z.enum(serverQueues),
        waiting: Count.describe(`of due work, ${queue_count_max} at most`),
        lag_s: Count.describe('seconds for which the oldest has been due; 0 when nothing is'),
      }),
    )
    .describe('all of them'),
  failed_jobs: z.array(z.object({ name: z.string(), error: z.string(), at: Instant.nullable() })),
  certificate: z.object({
    kind: z.enum(['proxy', 'file', 'acme']).describe('proxy: TLS ends in front of the server, or nowhere'),
    ends_at: Instant.nullable(),
    error: z.string().nullable().describe('why the authority gave no newer one'),
  }),
  backup: z
    .object({ at: Instant, bytes: Count, files: Count })
    .nullable()
    .describe('the last one that the command mdm made of a running server; null when there was none'),
})
export type ServerStatus = z.output<typeof ServerStatus>
