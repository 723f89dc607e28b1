import * as z from 'zod'

/** Subprotocol of both ends of a tunnel. A second one, `ticket.{ticket}`, carries the ticket: addresses stand in logs. */
export const tunnel_protocol = 'mdm-tunnel'
export const ticketProtocol = (ticket: string): string => `ticket.${ticket}`

/** A device sends frames of `usual` bytes at most: a larger one the server has to put together from what it has read. One of more than `most` ends the tunnel. */
export const tunnel_frame_bytes = { usual: 32 * 1024, most: 256 * 1024 } as const

/** Codes with which the server closes a tunnel; the reason of the close frame is the word beside it. */
export const tunnelCloses = {
  ended: 4000,
  expired: 4001,
  signed_out: 4002,
  not_allowed: 4003,
  device_gone: 4004,
  viewer_gone: 4005,
  server_stopped: 4006,
  failed: 4007,
} as const
export type TunnelClose = keyof typeof tunnelCloses

/**
 * Params of the request `tunnel_open`: the device connects a WebSocket to `url`, with its own credential as `Authorization` and the
 * ticket as subprotocol, joins it to what `kind` names, and answers once both stand. Its own words for a failure: `no_consent`,
 * `permission_missing`, `asleep`, `no_source` (there is no screen to show), `busy`, `not_supported`.
 */
export const TunnelOpen = z.object({
  tunnel_kid: z.uuid(),
  kind: z.enum(['desktop', 'terminal', 'log', 'files']),
  url: z.string().max(2000).describe('ws: or wss: address; a path is one of the server that the device knows'),
  ticket: z.string().max(100),
  consent: z
    .enum(['ask', 'notify', 'unattended'])
    .describe('whether the person at the device is asked, told or neither'),
  viewer: z.string().max(100).describe('name of the person, to be shown at the device'),
  clipboard: z.boolean(),
  view_only: z.boolean(),
  columns: z.number().int().min(2).max(500).optional(),
  rows: z.number().int().min(2).max(300).optional(),
})

/**
 * Text frames are JSON, one object each; binary frames are the bytes of the stream: RFB without authentication for a desktop, what a
 * terminal reads and writes, lines of the log in UTF-8, questions and answers about files (tunnel-files.ts).
 */
export const TunnelNote = z.union([
  z.object({ resize: z.object({ columns: z.number().int().min(2).max(500), rows: z.number().int().min(2).max(300) }) }),
  z.object({ key: z.enum(['home', 'back', 'menu', 'power', 'volume_up', 'volume_down', 'recents']) }),
  z.object({ rotate: z.literal(true) }),
  z.object({ quality: z.enum(['low', 'medium', 'high']) }),
])
export type TunnelNote = z.infer<typeof TunnelNote>

/** What the server tells the browser of a viewer, as text frames. */
export const ViewerNote = z.union([
  z.object({ has_control: z.boolean(), viewers: z.number().int() }),
  z.object({ ends_at: z.iso.datetime({ offset: true }) }),
])
export type ViewerNote = z.infer<typeof ViewerNote>
