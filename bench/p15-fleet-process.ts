// The devices of P15: ours on their connections, and those with the MDMesh agent, which check in and keep a socket.
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { MdmeshAgent } from '../testbed/src/mdmesh/agent.ts'
import { idleDevice } from './idle-device.ts'
import { stateWriter } from './messages.ts'

type Kind = 'own' | 'mdmesh'
export type P15Order =
  | { own: { port: number; secret: string; kids: string[] } }
  | { mdmesh: { server: string; token: string; from: number; to: number } }
  /** Each device reports and pings so often, one report after another in an even flow. */
  | { work: { kind: Kind; reports: number; pings: number; per_second: number } }
  | { alerted: string }
export type P15Report = { kids: string[]; cpu_seconds: number; at: number }

const tick_ms = 20
type Device = { report(): Promise<unknown>; ping(): void }
const devices: Record<Kind, Device[]> = { own: [], mdmesh: [] }
const agents: MdmeshAgent[] = []
let seq = Date.now() * 1000

async function own(port: number, secret: string, kid: string): Promise<void> {
  const socket: Socket = await idleDevice(port, kid, secret, fail)
  const write = stateWriter(kid)
  const waiting: (() => void)[] = []
  socket.on('data', (data: Buffer) => {
    for (let at = 0; at < data.length; at += 2 + data[at + 1]!) if (data[at] === 0x40) waiting.shift()?.()
  })
  devices.own.push({
    report: () => {
      const packet = Buffer.allocUnsafe(write.bytes)
      write(packet, 0, 1, (seq += 1))
      socket.write(packet)
      return new Promise<void>((resolve) => waiting.push(resolve))
    },
    ping: () => void socket.write(generate({ cmd: 'pingreq' })),
  })
}

/** Enrols, and is where it has told everything that it tells but once. */
async function mdmesh(server: string, token: string, index: number): Promise<void> {
  const headers = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }
  const agent = new MdmeshAgent({ server, token, hardware_id: `bench-${index}`, serial: `BENCH-${index}`, headers })
  let coming: Promise<unknown> = Promise.resolve()
  const come = () => (coming = coming.then(() => agent.checkIn()))
  for (let i = 0; i < 3; i += 1) await come()
  await agent.connect(come)
  agents.push(agent)
  devices.mdmesh.push({ report: come, ping: () => agent.ping() })
}

async function work({ kind, reports, pings, per_second }: Extract<P15Order, { work: object }>['work']): Promise<void> {
  const all = devices[kind]
  const ticks = Math.round((all.length * reports * 1000) / per_second / tick_ms)
  const done: Promise<unknown>[] = []
  let pinged = 0
  const begun = performance.now()
  for (let tick = 1; tick <= ticks; tick += 1) {
    for (; done.length < (all.length * reports * tick) / ticks;) done.push(all[done.length % all.length]!.report())
    for (; pinged < (all.length * pings * tick) / ticks; pinged += 1) all[pinged % all.length]!.ping()
    await delay(Math.max(0, begun + tick * tick_ms - performance.now()))
  }
  await Promise.all(done)
}

async function alerted(kid: string): Promise<void> {
  const agent = agents.find(({ id }) => id === kid)!
  const before = agent.done.length
  while (!agent.done.slice(before).includes('device.alert')) await delay(2)
}

async function perform(order: P15Order): Promise<void> {
  if ('own' in order) {
    const { port, secret, kids } = order.own
    await Promise.all(kids.map((kid) => own(port, secret, kid)))
  } else if ('mdmesh' in order) {
    const { server, token, from, to } = order.mdmesh
    await Promise.all(Array.from({ length: to - from }, (_, i) => mdmesh(server, token, from + i)))
  } else if ('work' in order) await work(order.work)
  else await alerted(order.alerted)
}

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}
process.on('message', (order: P15Order) => {
  const cpu = process.cpuUsage()
  perform(order).then(() => {
    const { user, system } = process.cpuUsage(cpu)
    const at = performance.timeOrigin + performance.now()
    const report: P15Report = { kids: agents.map(({ id }) => id!), cpu_seconds: (user + system) / 1e6, at }
    process.send!(report)
  }, fail)
})
