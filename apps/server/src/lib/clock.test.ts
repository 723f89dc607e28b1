import { expect, it } from 'vitest'
import { fakeClock } from './clock.ts'

/** What ran, and when. */
function running(clock: ReturnType<typeof fakeClock>) {
  const ran: [what: string, at: number][] = []
  const note = (what: string) => () => void ran.push([what, clock.elapsed()])
  clock.every(1_000, note('each second'))
  clock.every(45_000, note('seldom'))
  clock.after(25_500, note('once'))
  return ran
}

it('what falls due runs in order, each time', async () => {
  const clock = fakeClock()
  const ran = running(clock)
  await clock.advance(60_000)
  expect(ran.filter(([what]) => what === 'each second')).toHaveLength(60)
  expect(ran.filter(([what]) => what !== 'each second')).toEqual([
    ['once', 25_500],
    ['seldom', 45_000],
  ])
  expect(ran.map(([, at]) => at)).toEqual(ran.map(([, at]) => at).toSorted((a, b) => a - b))
})

it('over a long time what repeats runs as seldom as is asked, and as often as before afterwards', async () => {
  const clock = fakeClock()
  const ran = running(clock)
  await clock.advance(60_000, 20_000)
  expect(ran).toEqual([
    ['each second', 1_000],
    ['each second', 21_000],
    ['once', 25_500],
    ['each second', 41_000],
    ['seldom', 45_000],
  ])
  ran.length = 0
  await clock.advance(2_000)
  expect(ran).toEqual([
    ['each second', 61_000],
    ['each second', 62_000],
  ])
})
