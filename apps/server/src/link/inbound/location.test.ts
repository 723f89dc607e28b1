import { afterAll, beforeAll, expect, test } from 'vitest'
import { fleet } from '../../testing/fleet.ts'
import type { Fleet } from '../../testing/fleet.ts'

let f: Fleet
beforeAll(async () => {
  f = await fleet(1)
})
afterAll(() => f?.close())

test('a track is made of steps that are far enough; what comes late does not move the device back', async () => {
  const [kid] = f.kids as [string]
  await f.connect(kid)
  const begin = f.deps.clock.now().getTime()
  let seq = 0
  const report = (latitude: number, seconds: number, more: object = {}) => {
    const at = new Date(begin + seconds * 1000).toISOString()
    return f.say(kid, 'state', { seq: ++seq, device_time: at, location: { longitude: 105, latitude, at, ...more } })
  }
  const position = () =>
    f.deps.db.selectFrom('terminal_position').selectAll().where('terminal_kid', '=', kid).executeTakeFirstOrThrow()
  const track = async () =>
    (
      await f.deps.db
        .selectFrom('terminal_track')
        .select('latitude')
        .where('terminal_kid', '=', kid)
        .orderBy('at')
        .execute()
    ).map(({ latitude }) => latitude)

  await report(21, 0, { accuracy: 9, provider: 'gps' })
  await f.deps.clock.advance(60_000)
  // Eleven metres, then a hundred.
  await report(21.0001, 10)
  await report(21.001, 20)
  expect(await position()).toMatchObject({ latitude: 21.001, accuracy: null, received_at: f.deps.clock.now() })
  expect(await track()).toEqual([21, 21.001])

  await report(20.99, 15)
  expect((await position()).latitude).toBe(21.001)
  expect(await track()).toEqual([21, 20.99, 21.001])

  // A clock that runs ahead is not believed.
  await report(21.01, 86_400)
  expect(await position()).toMatchObject({ latitude: 21.01, at: f.deps.clock.now() })
  // The same place is worth a row again after a day, here a day before.
  await report(21.01, -25 * 3600)
  expect(await track()).toEqual([21.01, 21, 20.99, 21.001, 21.01])
  expect(f.deps.events.filter(({ event }) => event.type === 'terminal_location').length).toBeGreaterThan(0)
})
