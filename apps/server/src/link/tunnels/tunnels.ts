import { tunnelCloses } from '@mdm/device-link'
import type { TunnelClose } from '@mdm/device-link'
import { WebSocket } from 'ws'
import { carry, sluiceOf } from './carry.ts'
import type { Pass, Sluice } from './carry.ts'

const beat_ms = 15_000
/** A peer that says nothing for so long, or an end that takes nothing, is gone. */
const silent_ms = 45_000
const unread_ms = 60_000
/** A device whose viewer does not come. */
const parked_ms = 40_000
/** A peer that does not answer a close frame. */
const closing_ms = 1_000

/** What the bytes of a tunnel go through. */
export type Carrier = {
  toDevice: Pass
  /** `device` is shut while what comes cannot be taken. */
  fromDevice(data: Buffer, is_text: boolean, device: Sluice): ReturnType<Pass>
  /** Resolves once nothing of it is under way. */
  ended(): Promise<void>
}
/** Of a tunnel whose device is on another server: everything goes through that one. */
export const unseen: Carrier = {
  toDevice: (data, is_text) => (is_text ? data.toString() : data),
  fromDevice: (data, is_text) => (is_text ? data.toString() : data),
  ended: async () => {},
}

type Tunnel = {
  kid: string
  device: WebSocket
  viewer: WebSocket | undefined
  sluices: Sluice[]
  parked_at: number
  is_over: boolean
  carrier: Carrier | undefined
  left(): void | Promise<void>
}

export type Tunnels = ReturnType<typeof openTunnels>
/** The tunnels of this server by their kid. It joins two ends and knows nothing of what they say. */
export function openTunnels() {
  const all = new Map<string, Tunnel>()
  const ending = new Set<Promise<void>>()
  let beats: NodeJS.Timeout | undefined

  function end(kid: string, why: TunnelClose): void {
    const tunnel = all.get(kid)
    if (!tunnel || tunnel.is_over) return
    tunnel.is_over = true
    all.delete(kid)
    if (all.size === 0) beats = void clearInterval(beats)
    for (const socket of [tunnel.device, tunnel.viewer]) if (socket) shut(socket, why)
    const done = (tunnel.carrier?.ended() ?? Promise.resolve()).catch(() => {}).then(() => tunnel.left())
    ending.add(done)
    void done.finally(() => ending.delete(done))
  }

  function beat(): void {
    for (const { kid, device, viewer, sluices, parked_at } of all.values()) {
      if (!viewer) {
        if (performance.now() - parked_at > parked_ms) end(kid, 'viewer_gone')
        continue
      }
      const [ofDevice, ofViewer] = sluices
      if (ofDevice!.shutFor() > unread_ms) end(kid, 'viewer_gone')
      else if (ofViewer!.shutFor() > unread_ms) end(kid, 'device_gone')
      else for (const socket of [device, viewer]) if (socket.readyState === WebSocket.OPEN) socket.ping()
    }
  }

  /** A peer that is not heard any more is cut; one that is not read meanwhile cannot be heard. */
  function listen(tunnel: Tunnel, socket: WebSocket, sluice: Sluice, why: TunnelClose): void {
    let heard_at = performance.now()
    const hear = () => void (heard_at = performance.now())
    socket.on('pong', hear).on('message', hear)
    const look = setInterval(() => {
      if (sluice.shutFor() > 0) hear()
      else if (performance.now() - heard_at > silent_ms) end(tunnel.kid, why)
    }, beat_ms).unref()
    socket.on('close', () => clearInterval(look))
  }

  return {
    get size() {
      return all.size
    },
    kids: (): string[] => [...all.keys()],
    /**
     * Keeps the device's end, unread, until a viewer comes. `left` is called once it has ended, whoever ended it. One that forwards
     * is another server's: what it closes with is said to the viewer.
     */
    park(kid: string, device: WebSocket, left: () => void | Promise<void>, forwards = false): void {
      end(kid, 'failed')
      const sluice = sluiceOf(device)
      sluice.shut('parked')
      const parked_at = performance.now()
      all.set(kid, {
        kid,
        device,
        viewer: undefined,
        sluices: [sluice],
        parked_at,
        is_over: false,
        carrier: undefined,
        left,
      })
      beats ??= setInterval(beat, beat_ms).unref()
      device.on('error', () => device.terminate())
      device.on('close', (code) => {
        const said = wordOf(code)
        // Of its own a device says that its source has ended, as a shell does, or that it failed.
        end(kid, said && (forwards || said === 'ended' || said === 'failed') ? said : 'device_gone')
      })
    },
    /** Joins a viewer, or another server that forwards one, to the parked device; false when that is not there any more. */
    join(kid: string, viewer: WebSocket, carrier: Carrier, forwards = false): boolean {
      const tunnel = all.get(kid)
      if (!tunnel || tunnel.viewer || tunnel.device.readyState !== WebSocket.OPEN) return false
      const { device } = tunnel
      const ofDevice = tunnel.sluices[0]!
      const ofViewer = sluiceOf(viewer)
      Object.assign(tunnel, { viewer, carrier, sluices: [ofDevice, ofViewer] })
      const failed = () => end(kid, 'failed')
      const unlessOver =
        (pass: Pass): Pass =>
        (data, is_text) =>
          tunnel.is_over ? undefined : pass(data, is_text)
      viewer.on('error', () => viewer.terminate())
      viewer.on('close', (code) => end(kid, (forwards && wordOf(code)) || 'viewer_gone'))
      carry(
        device,
        ofDevice,
        viewer,
        unlessOver((data, is_text) => carrier.fromDevice(data, is_text, ofDevice)),
        failed,
      )
      carry(viewer, ofViewer, device, unlessOver(carrier.toDevice), failed)
      listen(tunnel, device, ofDevice, 'device_gone')
      listen(tunnel, viewer, ofViewer, 'viewer_gone')
      viewer.resume()
      ofDevice.open('parked')
      return true
    },
    /** Sends the device bytes of our own. */
    toDevice(kid: string, data: Buffer): void {
      const tunnel = all.get(kid)
      if (tunnel?.viewer) tunnel.device.send(data)
    },
    tellViewer: (kid: string, note: object): void => all.get(kid)?.viewer?.send(JSON.stringify(note)),
    end,
    async close(): Promise<void> {
      for (const kid of [...all.keys()]) end(kid, 'server_stopped')
      await Promise.all(ending)
    },
  }
}

function wordOf(code: number): TunnelClose | undefined {
  return (Object.keys(tunnelCloses) as TunnelClose[]).find((word) => tunnelCloses[word] === code)
}

/** What is said of the end of a tunnel reaches a peer that reads; one that does not is cut. */
export function shut(socket: WebSocket, why: TunnelClose): void {
  if (socket.readyState === WebSocket.CONNECTING) return socket.terminate()
  // Only a peer that is read is heard to have closed, too.
  socket.resume()
  socket.close(tunnelCloses[why], why)
  const late = setTimeout(() => socket.terminate(), closing_ms).unref()
  socket.once('close', () => clearTimeout(late))
}
