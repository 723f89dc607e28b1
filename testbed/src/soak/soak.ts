import { startAgent } from '@mdm/agent/agent.ts'
import type { Agent } from '@mdm/agent/agent.ts'
import { seeded } from '@mdm/agent/body/random.ts'
import { simulatedBody } from '@mdm/agent/body/simulated.ts'
import { sharedClock, wait } from '@mdm/agent/clock.ts'
import { memoryStore } from '@mdm/agent/store.ts'
import type { Caller } from '../caller.ts'
import { registerByQr } from '../enrol.ts'
import { until } from '../until.ts'
import { compare } from './compare.ts'
import type { Line } from './compare.ts'
import { began, ended, newTruth, witnessed } from './truth.ts'
import type { Truth } from './truth.ts'

export type SoakOptions = {
  /** Both are asked for anew after the server was away. */
  call: () => Caller
  server: () => string
  devices: number
  seconds: number
  /** Registers so many devices a second. */
  ramp?: number
  /** Told when all are online and the time begins. */
  begun?: (at: number) => void
  /** What happens meanwhile, in its order. */
  acts?: readonly Act[]
  /** How fast devices live: 400 times as fast as a day, where nothing is said. */
  speed?: number
  state_every_ms?: number
  /** Of the devices, in a minute, are killed and come back. */
  killed_share?: number
  /** Figures of both sides beside those of the devices, asked for when everybody is back. */
  more?: (subjects: readonly Subject[]) => Promise<Line[]>
  say?: (line: string) => void
}
export type Act = {
  /** Share of the time that has passed by then. */
  at: number
  what: string
  /** The server is there again when this resolves. */
  run: (devices: {
    all: readonly Subject[]
    putOff(subject: Subject): void
    putOn(subject: Subject): void
  }) => Promise<void>
}
export type Subject = {
  sn: string
  truth: Truth
  body: ReturnType<typeof simulatedBody>
  store: ReturnType<typeof memoryStore>
  agent: Agent
  kid: string
}

const sample_ms = 2_000

/**
 * Devices that live fast, are killed and come back, against a server that knows nothing of it; in the end what it says of
 * them is compared with what they did.
 */
export async function soak(options: SoakOptions): Promise<Line[]> {
  const { devices, seconds, ramp = 20, say = () => {} } = options
  const { speed = 400, state_every_ms = 10_000, killed_share = 0.25 } = options
  const clock = sharedClock()
  const random = seeded(20_260_322)
  const begun = Date.now()
  const subjects: Subject[] = []

  function start(of: Omit<Subject, 'agent' | 'kid'>, qrcode?: string): Agent {
    const agent = startAgent({
      server: options.server(),
      body: witnessed(of.body, of.truth),
      clock,
      store: of.store,
      reconnect: { base_ms: 100, cap_ms: 2_000 },
      state_every_ms,
      sample_ms,
      ...(qrcode === undefined ? {} : { qrcode }),
    })
    agent.on((event) => {
      if (event.type !== 'state') return
      if (event.state === 'online') began(of.truth, of.truth.greeted_at ?? Date.now())
      else ended(of.truth, Date.now())
    })
    return agent
  }
  async function add(index: number): Promise<void> {
    const sn = `SOAK-${String(index + 1).padStart(5, '0')}`
    const body = simulatedBody({ sn, clock, seed: 7_919 + index, faults: {}, speed })
    const of = { sn, truth: newTruth(), body, store: memoryStore() }
    const { agent, kid } = await registerByQr(options.call(), sn, 'NO_GROUP', (qrcode) => start(of, qrcode))
    subjects.push({ ...of, agent, kid })
    await agent.reached('online')
  }

  say(`registering ${devices} devices`)
  for (let at = 0; at < devices; at += ramp)
    await Promise.all(Array.from({ length: Math.min(ramp, devices - at) }, (_, i) => add(at + i)))
  say(`${devices} devices are online; they live for ${seconds} s`)

  const lives_from = Date.now()
  options.begun?.(lives_from)
  const end = lives_from + seconds * 1000
  const tick_s = Math.min(5, seconds / 8)
  let killed = 0
  const acts = [...(options.acts ?? [])]
  const putOff = (subject: Subject) => {
    subject.agent.kill()
    ended(subject.truth, Date.now())
  }
  const putOn = (subject: Subject) => {
    if (subject.agent.state === 'stopped') subject.agent = start(subject)
  }
  while (Date.now() < end) {
    await wait(clock, tick_s * 1000)
    while (acts[0] && Date.now() >= lives_from + acts[0].at * seconds * 1000) {
      const { what, run } = acts.shift()!
      say(what)
      await writtenDown()
      await run({ all: subjects, putOff, putOn })
    }
    // The last seconds are quiet, so that nobody is on the way when it is compared.
    if (Date.now() > end - 15_000) continue
    const share = (killed_share * tick_s) / 60
    await writtenDown()
    for (const subject of subjects) {
      if (subject.agent.state !== 'online' || random.next() >= Math.max(share, 1 / devices / 4)) continue
      putOff(subject)
      subject.truth.kills += 1
      killed += 1
      clock.after(random.between(2_500, 9_000), () => putOn(subject))
    }
  }
  for (const subject of subjects) putOn(subject)
  say(`${killed} were killed and came back; waiting for the last reports`)
  await until('everybody to be back', () => subjects.every(({ agent }) => agent.state === 'online'), 120)
  const more = (await options.more?.(subjects)) ?? []
  // Life stands still; whatever waits on a device goes out, and the server has a moment to commit it.
  const usage = await settle(subjects, state_every_ms)
  const now = Date.now()
  const lines = await compare(
    options.call(),
    subjects.map((subject) => ({ ...subject, usage: usage.get(subject)! })),
    begun,
    now,
  )
  await Promise.all(subjects.map(({ agent }) => agent.stop()))
  clock.close()
  return [...lines, ...more]
}

/**
 * The bodies outlive their agents here. What an agent has just taken from its body it may write down, as if both had been
 * killed together a moment earlier or later.
 */
const writtenDown = () => new Promise((resolve) => setImmediate(resolve))

/** Every device tells what it has not told yet, and lives no further meanwhile. */
async function settle(subjects: readonly Subject[], state_every_ms: number) {
  for (const { body, truth } of subjects) await freeze(body, truth)
  await new Promise((resolve) => setTimeout(resolve, state_every_ms + 2 * sample_ms + 2_000))
  return new Map(await Promise.all(subjects.map(async (subject) => [subject, await subject.body.usage()] as const)))
}

/** From now on the body says what it said last: its figures stand still, its events have all been heard. */
async function freeze(body: Subject['body'], truth: Truth): Promise<void> {
  const { battery, ...last } = await body.state()
  const { trigger: _, ...power } = battery ?? {}
  const stands = { ...last, ...(battery ? { battery: power as typeof battery } : {}) }
  if (stands.location) truth.places.push(stands.location)
  body.state = async () => stands
}
