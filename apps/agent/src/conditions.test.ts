import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answered, nextOf, reminder_minutes, warning_seconds } from './conditions.ts'
import type { Answer, Conditions, Course, Situation } from './conditions.ts'

const minute = 60_000
type Network = Situation['network']
type World = {
  task: Conditions
  zone: string
  begins: number
  /** Minutes after the beginning at which the network becomes another one. */
  flips: { at: number; network: Network }[]
  answers: Answer[]
}
type End = { what: 'execute' | 'expired' | 'refused'; at: number; asked: number; warned: number }

const networkAt = ({ begins, flips }: World, at: number): Network =>
  flips.findLast((flip) => begins + flip.at * minute <= at)?.network ?? 'wifi'
/** A user who has run out of answers says yes. */
const answerOf = ({ answers }: World, asked: number, may_put_off: boolean): Answer => {
  const said = answers[asked] ?? 'yes'
  return said === 'later' && !may_put_off ? 'yes' : said
}

/** Does what the function says, sleeping for as long as it says; a network is looked at each minute. */
function driven(world: World): End {
  const { task, zone } = world
  const end = { asked: 0, warned: 0 }
  let [at, course, step]: [number, Course, Situation['step']] = [world.begins, {}, 'download']
  for (;;) {
    const next = nextOf(task, { step, now: new Date(at), zone, network: networkAt(world, at), course })
    if (next.do === 'fail') return { what: next.code as End['what'], at, ...end }
    if (next.do === 'execute') return { what: 'execute', at, ...end }
    if (next.do === 'download') step = 'execute'
    if (next.do === 'warn') {
      end.warned += 1
      course = next.course
    }
    if (next.do === 'ask') {
      const answer = answerOf(world, end.asked, next.may_put_off)
      end.asked += 1
      course = answered(course, next.prompt, answer, new Date(at))
    }
    if (next.do === 'wait') {
      const until = Math.min(next.until?.getTime() ?? at + minute, Date.parse(task.expires_at))
      expect(until).toBeGreaterThan(at)
      at = until
    }
  }
}

const clockOf = (zone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const clocks = new Map(
  ['Europe/Berlin', 'America/New_York', 'Asia/Ho_Chi_Minh', 'Australia/Lord_Howe'].map((zone) => [zone, clockOf(zone)]),
)

/** The same, minute by minute, as somebody would do it who looks at the clock on the wall. */
function modelled(world: World): End {
  const { task, zone } = world
  let [fetched, asked, warned, warnedAt, quiet] = [false, 0, 0, -Infinity, -Infinity]
  const left = { download: task.download_prompt ? 3 : -1, execute: task.install_prompt && !task.force_install ? 3 : -1 }
  for (let at = world.begins; ; at += minute) {
    if (at >= Date.parse(task.expires_at)) return { what: 'expired', at, asked, warned }
    for (const step of ['download', 'execute'] as const) {
      if (step === 'download' ? fetched : !fetched) continue
      const wall = clocks.get(zone)!.format(at)
      const { from, to } = task.window ?? { from: '', to: '' }
      const isOpen = from === to || (from < to ? wall >= from && wall < to : wall >= from || wall < to)
      if (step === 'download' ? task.network === 'wifi' && !/wifi|ethernet/.test(networkAt(world, at)!) : !isOpen)
        continue
      if (left[step] >= 0 && at < quiet) continue
      if (left[step] >= 0) {
        const answer = answerOf(world, asked++, left[step] > 0)
        if (answer === 'no') return { what: 'refused', at, asked, warned }
        if (answer === 'later') quiet = at + [60, 30, 10][--left[step]]! * minute
        if (answer === 'later') continue
        left[step] = -1
      }
      if (step === 'download') fetched = true
      else if (!task.force_install || (at - warnedAt >= minute && at - warnedAt <= 3 * minute))
        return { what: 'execute', at, asked, warned }
      else if (at - warnedAt > 3 * minute) [warned, warnedAt] = [warned + 1, at]
    }
  }
}

/** A few hours before the clocks change somewhere, or any time. */
const changes = [
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-03-08T07:00Z',
  '2026-11-01T06:00Z',
  '2026-04-04T15:00Z',
  '2026-10-03T15:30Z',
  '2026-06-15T12:00Z',
]
const wallTime = fc
  .oneof(fc.nat(1439), fc.integer({ min: 60, max: 240 }), fc.integer({ min: 1380, max: 1439 }))
  .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`)
const network = fc.constantFrom<Network>('wifi', 'mobile', 'ethernet', 'none')
const worlds: fc.Arbitrary<World> = fc
  .record({
    zone: fc.constantFrom(...clocks.keys()),
    change: fc.constantFrom(...changes),
    before: fc.integer({ min: -300, max: 1600 }),
    lives: fc.integer({ min: -10, max: 2200 }),
    window: fc.option(fc.record({ from: wallTime, to: wallTime }), { nil: undefined, freq: 4 }),
    network: fc.option(fc.constantFrom('any' as const, 'wifi' as const), { nil: undefined }),
    prompts: fc.record({ download_prompt: fc.boolean(), install_prompt: fc.boolean(), force_install: fc.boolean() }),
    flips: fc.array(fc.record({ at: fc.nat(1500), network }), { maxLength: 5 }),
    answers: fc.array(fc.constantFrom<Answer>('yes', 'later', 'later', 'later', 'no', 'nobody'), { maxLength: 8 }),
  })
  .map(({ zone, change, before, lives, window, network: by, prompts, flips, answers }) => {
    const begins = Date.parse(change) - before * minute
    const expires_at = new Date(begins + lives * minute).toISOString()
    const task = { expires_at, ...prompts, ...(window ? { window } : {}), ...(by ? { network: by } : {}) }
    return { task, zone, begins, flips: flips.toSorted((a, b) => a.at - b.at), answers }
  })

test('schedule, window, prompts, network and end: as the model says, in zones whose clocks change', () => {
  fc.assert(
    fc.property(worlds, (world) => void expect(driven(world)).toEqual(modelled(world))),
    { numRuns: 1500 },
  )
})

const task = { expires_at: '2026-03-08T00:00:00Z', install_prompt: true }
const at = (clock: string): Date => new Date(`2026-03-01T${clock}:00Z`)
const look = (course: Course, clock: string, more: Partial<Conditions> = {}) =>
  nextOf({ ...task, ...more }, { step: 'execute', now: at(clock), zone: 'UTC', network: 'none', course })

test('a prompt is put off three times, for 10, 30 and 60 minutes, and the fourth cannot be', () => {
  let course: Course = {}
  for (const [asked, again, put_off] of [
    ['08:00', '08:10', 1],
    ['08:10', '08:40', 2],
    ['08:45', '09:45', 3],
  ] as const) {
    expect(look(course, asked)).toMatchObject({ do: 'ask', may_put_off: true, waits: { put_off: put_off - 1 } })
    course = answered(course, 'install_prompt', 'later', at(asked))
    expect(look(course, asked)).toMatchObject({
      do: 'wait',
      until: at(again),
      waits: { for: 'install_prompt', until: at(again).toISOString(), put_off, put_off_max: reminder_minutes.length },
    })
  }
  expect(look(course, '09:45')).toMatchObject({ do: 'ask', may_put_off: false, waits: { put_off: 3 } })
  // No answer at all.
  course = answered(course, 'install_prompt', 'later', at('09:45'))
  expect(look(course, '10:00')).toMatchObject({ do: 'wait', until: at('10:45'), waits: { put_off: 3 } })
  expect(look(answered(course, 'install_prompt', 'yes', at('10:45')), '10:45')).toEqual({ do: 'execute' })
  expect(look(answered(course, 'install_prompt', 'no', at('10:45')), '10:45')).toEqual({ do: 'fail', code: 'refused' })
})

test('a clock that was set back by days does not make a reminder wait for days', () => {
  const course = answered({}, 'install_prompt', 'later', new Date('2026-03-05T08:00:00Z'))
  expect(look(course, '08:00')).toMatchObject({ do: 'ask' })
})

test('a forced task is not asked about, but the user is warned a minute ahead; an old warning does not count', () => {
  const forced = { force_install: true }
  expect(look({}, '08:00', forced)).toMatchObject({ do: 'warn', seconds: warning_seconds, waits: { for: 'warning' } })
  const course = { warned_at: at('08:00').toISOString() }
  expect(look(course, '08:00', forced)).toMatchObject({ do: 'wait', until: at('08:01') })
  expect(look(course, '08:01', forced)).toEqual({ do: 'execute' })
  expect(look(course, '09:00', forced)).toMatchObject({ do: 'warn' })
  expect(look(course, '07:00', forced)).toMatchObject({ do: 'warn' })
})

test('a battery minimum holds the installation back, not the download, until there is charge or a charger', () => {
  const rest = { now: at('08:00'), zone: 'Etc/UTC', network: 'wifi' as const, course: {} }
  const next = (battery: Situation['battery'], step: Situation['step'] = 'execute') =>
    nextOf({ expires_at: task.expires_at, min_battery: 30 }, { ...rest, step, battery })
  const waits = { do: 'wait', until: undefined, waits: { for: 'battery' } }
  expect(next({ level: 29, charging: 'discharging' })).toEqual(waits)
  expect(next({ level: 5, charging: 'low' })).toEqual(waits)
  expect(next({ level: 29, charging: 'discharging' }, 'download')).toEqual({ do: 'download' })
  expect(next({ level: 30, charging: 'discharging' })).toEqual({ do: 'execute' })
  expect(next({ level: 5, charging: 'charging' })).toEqual({ do: 'execute' })
  // A terminal that is mounted in a vehicle has none.
  expect(next(undefined)).toEqual({ do: 'execute' })
})
