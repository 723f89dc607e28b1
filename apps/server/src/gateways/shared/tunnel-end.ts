import { createServer } from 'node:http'
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ticketProtocol, tunnel_frame_bytes, tunnel_protocol, tunnelCloses, TunnelNote } from '@mdm/device-link'
import type { ParamsOf } from '@mdm/device-link'
import { createWebSocketStream, WebSocket } from 'ws'
import type { Line } from './wake-sockets.ts'

export type TunnelParams = ParamsOf<'tunnel_open'>
/** What a tunnel carries: destroyed when the tunnel ends, and its end is the tunnel's. */
export type Source = { stream: Duplex; take?(note: TunnelNote): void }
type BringEnd = (line: Line, params: TunnelParams, source: Source) => Promise<void>

/**
 * Brings the device's end of a tunnel for a device whose agent cannot: through the door that all devices come by, with the credential
 * that it has shown, but without a network. So nothing but that door decides who comes in.
 */
export function tunnelEnds(app: FastifyInstance): BringEnd {
  const door = createServer().on('upgrade', (...asked) => app.server.emit('upgrade', ...asked))
  return async ({ address, authorization }, { url, ticket }, source) => {
    const [near, far] = duplexPair()
    // What one of them tears down the other does not notice by itself.
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
    door.emit('connection', Object.assign(far, { remoteAddress: address }))
    const socket = new WebSocket(`ws://tunnel${url}`, [tunnel_protocol, ticketProtocol(ticket)], {
      createConnection: () => near as never,
      headers: { ...(authorization !== undefined && { authorization }) },
      maxPayload: tunnel_frame_bytes.most,
      perMessageDeflate: false,
    })
    join(socket, source)
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
  }
}

/** Carries bytes both ways, no faster than either side reads. A source that closes before it has ended is a device that has gone. */
function join(socket: WebSocket, { stream, take }: Source): void {
  const end = createWebSocketStream(socket, { readableObjectMode: true })
  const close = (why: 'ended' | 'failed') => {
    if (socket.readyState === WebSocket.OPEN) socket.close(tunnelCloses[why], why)
  }
  end.on('data', (said: Buffer | string) => {
    if (typeof said !== 'string') return void (stream.write(said) || end.pause())
    const note = TunnelNote.safeParse(JSON.parse(said))
    if (note.success) take?.(note.data)
  })
  end.on('drain', () => stream.resume())
  end.on('error', () => stream.destroy())
  socket.on('close', () => stream.destroy())
  stream.on('drain', () => end.resume())
  stream.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += tunnel_frame_bytes.usual)
      if (!end.write(bytes.subarray(at, at + tunnel_frame_bytes.usual))) stream.pause()
  })
  // What it said before waits to be sent.
  stream.once('end', () => end.write(Buffer.alloc(0), () => close('ended')))
  stream.once('error', () => close('failed'))
  stream.once('close', () => {
    if (!stream.readableEnded && !stream.errored) socket.terminate()
  })
}
