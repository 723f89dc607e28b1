import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import type { MqttClient } from 'mqtt'
import type { WebSocket } from 'ws'
import { contract } from '@mdm/contract'
import { downTopic, tunnel_frame_bytes, upTopic } from '@mdm/device-link'
import type { Down } from '@mdm/device-link'
import { dialTunnel } from '../apps/server/src/testing/remote.ts'
import { reply } from './children.ts'
import { memoryAbove, withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { against, interleaved, percentile, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { start, treeCpuSeconds } from './processes.ts'
import type { Running } from './processes.ts'
import { seedFleet } from './seed.ts'

const rounds = 5
const round_trips = 2_000
/** What a viewer says who may say anything: six requests for a picture. */
const asked = Buffer.concat(Array.from({ length: 6 }, () => Buffer.from([3, 1, 0, 0, 0, 0, 0, 9, 0, 9])))
const hello = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])])
const stream_mib = 128
const chunk = randomBytes(64 * 1024)
const sessions = 50
const stopped = 20
const stalled_ms = 2_000
const of_device = 4
const mib = 1024 * 1024
const calls = contract.terminalRemote.calls
const secret = 'b'.repeat(64)

/** P13: remote sessions against a bare TCP relay beside them. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const relay = start(['bench/bare-relay.mjs'], {})
    const fleet = await devices(site)
    try {
      const { port } = await reply<{ port: number }>(relay)
      const ours = () => tunnel(site, fleet, 0)
      const bare = () => tcp(port)
      const measured = async (
        label: string,
        pair: () => Promise<Ends>,
        of: Running,
        work: Measure,
      ): Promise<Sample> => {
        const ends = await pair()
        const before = treeCpuSeconds(of.pid)
        const value = await work(ends)
        const sample = { value, cpu_seconds: treeCpuSeconds(of.pid) - before }
        ends.close()
        log(`${label}: ${value.toPrecision(3)}`)
        return sample
      }
      const both = (what: string, work: Measure) =>
        interleaved(
          rounds,
          () => measured(`ours, ${what}`, ours, site.server, work),
          () => measured(`bare, ${what}`, bare, relay, work),
        )
      const trips = await both('round trip p99 ms', roundTrips)
      // A round trip passes a relay twice.
      const added = trips.map(([a, b]) => sampleOf((a.value - b.value) / 2))
      const streams = await both('MiB/s', stream)
      const frames: Sample[] = []
      for (let i = 0; i < rounds; i++) frames.push(sampleOf(await firstFrame(site, fleet)))
      const above = await memoryAbove(site, log, async () => {
        const all: Ends[] = []
        for (let i = 0; i < sessions; i++) all.push(await tunnel(site, fleet, Math.floor(i / of_device)))
        for (const ends of all) await roundTrips(ends, 20)
        for (const ends of all) ends.close()
      })
      const unread = await memoryAbove(site, log, () => stall(site, fleet))
      return [
        row('P13', 'ms that a tunnel adds, p99 / 5', against(added, 5), '<= 1', (r) => r.median <= 1),
        row('P13', 'MiB/s to a browser / bare TCP relay', streams, '>= 0.5', (r) => r.median >= 0.5),
        row('P13', 'first bytes after opening, s / 1.5', against(frames, 1.5), '<= 1', (r) => r.max <= 1),
        row(
          'P13',
          `MiB for each of ${sessions} sessions / 4`,
          against([sampleOf(above / sessions)], 4),
          '<= 1',
          (r) => r.max <= 1,
        ),
        row(
          'P13',
          `MiB for each of ${stopped} viewers that stop reading / 1`,
          against([sampleOf(unread / stopped)], 1),
          '<= 1',
          (r) => r.max <= 1,
        ),
      ]
    } finally {
      await fleet.close()
      await relay.stop()
    }
  })

/** Devices that send until nobody takes more, as their viewers have stopped. */
async function stall(site: Site, fleet: Fleet): Promise<void> {
  const all: Ends[] = []
  for (let i = 0; i < stopped; i++) all.push(await tunnel(site, fleet, Math.floor(i / of_device)))
  const flood = async ({ device, viewer }: Ends) => {
    viewer.stop()
    const until = performance.now() + stalled_ms
    while (performance.now() < until) if (!device.write(chunk)) await delay(10)
  }
  await Promise.all(all.map(flood))
  for (const ends of all) ends.close()
}

/** What is measured of either: bytes, and whether more of them may be given. */
type End = {
  write(data: Buffer): boolean
  drained(): Promise<void>
  onData(take: (data: Buffer) => void): void
  /** Reads no more. */
  stop(): void
}
type Ends = { device: End; viewer: End; close(): void }
type Measure = (ends: Ends) => Promise<number>

async function roundTrips({ device, viewer }: Ends, count = round_trips): Promise<number> {
  device.onData((data) => device.write(data))
  const took: number[] = []
  let arrived: () => void = () => {}
  let missing = 0
  viewer.onData((data) => {
    missing -= data.length
    if (missing <= 0) arrived()
  })
  for (let i = 0; i < count; i++) {
    const begun = performance.now()
    missing = asked.length
    const back = new Promise<void>((resolve) => (arrived = resolve))
    viewer.write(asked)
    await back
    took.push(performance.now() - begun)
  }
  return percentile(took, 99)
}

/** MiB a second from the device to the viewer, who takes them as they come. */
async function stream({ device, viewer }: Ends): Promise<number> {
  let missing = stream_mib * mib
  const all = new Promise<void>((resolve) =>
    viewer.onData((data) => {
      missing -= data.length
      if (missing <= 0) resolve()
    }),
  )
  const begun = performance.now()
  for (let sent = 0; sent < stream_mib * mib; sent += chunk.length) if (!device.write(chunk)) await device.drained()
  await all
  return stream_mib / ((performance.now() - begun) / 1000)
}

/** From the click to the first bytes of the device, in seconds. */
async function firstFrame(site: Site, fleet: Fleet): Promise<number> {
  const begun = performance.now()
  const ends = await tunnel(site, fleet, 0)
  const first = new Promise<void>((resolve) => ends.viewer.onData(() => resolve()))
  ends.device.write(Buffer.from('RFB 003.008\n'))
  await first
  const seconds = (performance.now() - begun) / 1000
  ends.close()
  return seconds
}

const plain = (socket: Socket): End => ({
  write: (data) => socket.write(data),
  drained: async () => void (await once(socket, 'drain')),
  onData: (take) => void socket.removeAllListeners('data').on('data', take),
  stop: () => void socket.pause(),
})

async function tcp(port: number): Promise<Ends> {
  const dial = async () => {
    const socket = connectTcp({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return socket
  }
  const device = await dial()
  const viewer = await dial()
  const close = () => [device, viewer].forEach((socket) => socket.destroy())
  return { device: plain(device), viewer: plain(viewer), close }
}

const framed = (socket: WebSocket): End => ({
  write(data) {
    for (let at = 0; at < data.length; at += tunnel_frame_bytes.usual)
      socket.send(data.subarray(at, at + tunnel_frame_bytes.usual))
    return socket.bufferedAmount < mib
  },
  drained: () => new Promise((resolve) => socket.send(Buffer.alloc(0), () => resolve())),
  onData(take) {
    socket.removeAllListeners('message')
    socket.on('message', (data, is_binary) => is_binary && take(data as Buffer))
  },
  stop: () => socket.pause(),
})

type Fleet = Awaited<ReturnType<typeof devices>>
/** Devices that bring an end of every tunnel that they are asked for. */
async function devices(site: Site) {
  const { account_kid, client } = site
  const { kids } = await seedFleet(client, secret, Math.ceil(sessions / of_device), account_kid)
  await client.query(`UPDATE terminal SET tunnels = '{desktop,terminal,log}' WHERE account_kid = $1`, [account_kid])
  await client.query(`INSERT INTO remote_settings VALUES ($1, 'unattended', true, true, false, 1, ${10 * 1024 ** 3})`, [
    account_kid,
  ])
  const ends = new Map<string, WebSocket>()
  const links: MqttClient[] = []
  const url = site.url
  for (const kid of kids) {
    const link = await connectAsync(`mqtt://127.0.0.1:${site.mqtt_port}`, {
      clientId: kid,
      username: kid,
      password: secret,
    })
    links.push(link)
    await link.subscribeAsync(downTopic(kid, 'request'), { qos: 1 })
    link.on('message', (_, payload) => {
      const { id, method, params } = JSON.parse(payload.toString()) as Down['request']
      if (method !== 'tunnel_open') return
      const wanted = params as { tunnel_kid: string; url: string; ticket: string }
      void dialTunnel(url, wanted.url, wanted.ticket, { authorization: `Bearer ${kid}:${secret}` }).then((socket) => {
        if (typeof socket === 'number') return
        socket.resume()
        ends.set(wanted.tunnel_kid, socket)
        link.publish(upTopic(kid, 'reply'), JSON.stringify({ id, ok: true, data: {} }), { qos: 1 })
      })
    })
    const hello = {
      epoch: kid,
      boot_id: 'b',
      device_time: new Date().toISOString(),
      inventory: { tunnels: ['desktop', 'terminal', 'log'] },
    }
    await link.publishAsync(upTopic(kid, 'hello'), JSON.stringify(hello), { qos: 1 })
  }
  return {
    kids,
    ends,
    close: async () => void (await Promise.all(links.map((link) => link.endAsync(true)))),
  }
}

/** A screen that is not recorded, with both of its ends here. */
async function tunnel(site: Site, { kids, ends }: Fleet, at: number): Promise<Ends> {
  const opened = await site.call(calls.open_desktop, { terminal_kid: kids[at]! })
  const viewer = await dialTunnel(site.url, opened.url, opened.ticket)
  const device = ends.get(opened.viewer_kid)
  if (typeof viewer === 'number' || !device) throw new Error('a tunnel of the measurement was refused')
  viewer.resume()
  viewer.send(hello)
  await once(device, 'message')
  const close = () => [device, viewer].forEach((socket) => socket.terminate())
  return { device: framed(device), viewer: framed(viewer), close }
}
