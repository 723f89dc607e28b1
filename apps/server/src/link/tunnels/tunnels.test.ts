import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { openTunnels, unseen } from './tunnels.ts'
import type { Tunnels } from './tunnels.ts'

const mib = 1024 * 1024
const chunk = Buffer.alloc(64 * 1024, 1)

type Pair = { near: WebSocket; far: WebSocket }
let tunnels: Tunnels
let pair: () => Promise<Pair>
let close: () => void
beforeEach(async () => {
  tunnels = openTunnels()
  const http = createServer()
  const server = new WebSocketServer({ server: http, perMessageDeflate: false })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`
  pair = async () => {
    const far = new WebSocket(url, { perMessageDeflate: false })
    const [[near]] = (await Promise.all([once(server, 'connection'), once(far, 'open')])) as unknown as [[WebSocket]]
    return { near, far }
  }
  close = () => {
    for (const each of server.clients) each.terminate()
    server.close()
    http.close()
  }
})
afterEach(async () => {
  await tunnels.close()
  close()
})

async function joined(): Promise<{ device: Pair; viewer: Pair; left: Promise<void> }> {
  const device = await pair()
  const viewer = await pair()
  viewer.near.pause()
  const left = new Promise<void>((resolve) => tunnels.park('k', device.near, resolve))
  expect(tunnels.join('k', viewer.near, unseen)).toBe(true)
  return { device, viewer, left }
}

/** Sends for as long as the other side takes it; how much it took before it took nothing for a while. */
async function flood(from: WebSocket, most: number): Promise<number> {
  let sent = 0
  let quiet = 0
  while (sent < most && quiet < 20) {
    if (from.bufferedAmount < mib) {
      from.send(chunk)
      sent += chunk.length
      quiet = 0
    } else {
      quiet += 1
      await wait(10)
    }
  }
  return sent - from.bufferedAmount
}

describe('back-pressure', () => {
  it.each(['viewer', 'device'] as const)(
    'a %s that stops reading stops the other end, and holds little memory',
    async (who) => {
      const { device, viewer } = await joined()
      const [reader, writer] = who === 'viewer' ? [viewer, device] : [device, viewer]
      reader.far.pause()
      const most = 64 * mib
      const taken = await flood(writer.far, most)
      // Some of it lies in the buffers of four sockets of the kernel, none in ours beyond the bound.
      expect(taken).toBeLessThan(most / 2)
      expect(reader.near.bufferedAmount).toBeLessThan(mib / 2)
      expect(writer.near.isPaused).toBe(true)
      let got = 0
      reader.far.on('message', (data) => (got += (data as Buffer).length))
      reader.far.resume()
      const all = taken + writer.far.bufferedAmount
      while (got < all - chunk.length) await wait(5)
      expect(writer.near.isPaused).toBe(false)
    },
  )

  it('everything arrives, whole and in order', async () => {
    const { device, viewer } = await joined()
    const count = 500
    const got: number[] = []
    viewer.far.on('message', (data) => got.push((data as Buffer).readUInt32BE(0)))
    for (let i = 0; i < count; i++) {
      const frame = Buffer.alloc(20_000)
      frame.writeUInt32BE(i)
      device.far.send(frame)
    }
    while (got.length < count) await wait(5)
    expect(got).toEqual(Array.from({ length: count }, (_, i) => i))
  })
})

describe('ends', () => {
  it('a peer that does not read is cut within a second or so', async () => {
    const { device, viewer, left } = await joined()
    viewer.far.pause()
    await flood(device.far, 16 * mib)
    const gone = once(viewer.near, 'close')
    const since = performance.now()
    tunnels.end('k', 'signed_out')
    await Promise.all([gone, left, once(device.far, 'close')])
    expect(performance.now() - since).toBeLessThan(2_000)
    expect(tunnels.size).toBe(0)
  })

  it('a server that stops says so', async () => {
    const { device, viewer } = await joined()
    const codes = [device, viewer].map(({ far }) => once(far, 'close').then(([code]) => code as number))
    await tunnels.close()
    expect(await Promise.all(codes)).toEqual([4006, 4006])
  })

  it('nobody joins where no device is, nor where somebody is', async () => {
    const { viewer } = await joined()
    const other = await pair()
    expect(tunnels.join('k', other.near, unseen)).toBe(false)
    expect(tunnels.join('x', other.near, unseen)).toBe(false)
    expect(viewer.near.readyState).toBe(WebSocket.OPEN)
  })
})
