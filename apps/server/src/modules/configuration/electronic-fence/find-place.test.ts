import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../../config.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { testDeps } from '../../../testing/deps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { refusalOf } from '../../../testing/devices.ts'
import { geocoderFaults, startGeocoder } from '../../../testing/geocoder.ts'
import type { Geocoder } from '../../../testing/geocoder.ts'
import { findPlace } from './find-place.ts'

let deps: TestDeps
let geocoder: Geocoder
beforeAll(async () => {
  deps = await testDeps()
  geocoder = await startGeocoder()
  deps.config.geocoder = geocoder.template
})
afterAll(async () => {
  await deps.close()
  await geocoder.close()
})

const account = newKid()
const find = (text: string, language: 'en' | 'vi' | 'zh-cn' = 'en', account_kid = account) =>
  findPlace(testActor(deps, account_kid), text, language)

it('a search for a place asks the geocoder of the operator, in the language of the person, and never the same twice', async () => {
  expect(await find('')).toEqual({ is_on: true, places: [] })
  expect(geocoder.asked).toEqual([])
  const station = { name: expect.stringMatching(/^Ga Hà Nội, 120/), longitude: 105.8410719, latitude: 21.0242837 }
  expect(await find('Ga Hà Nội', 'vi')).toEqual({ is_on: true, places: [station] })
  expect(await find('Ga Hà Nội', 'vi', newKid())).toEqual({ is_on: true, places: [station] })
  expect((await find('ha noi')).places).toHaveLength(2)
  expect((await find('北京站', 'zh-cn')).places).toMatchObject([{ longitude: 116.421295, latitude: 39.902141 }])
  expect(await find('a&b={q}#1? {language} $&')).toEqual({ is_on: true, places: [] })
  expect(geocoder.asked).toEqual(
    [
      ['Ga Hà Nội', 'vi'],
      ['ha noi', 'en'],
      ['北京站', 'zh-cn'],
      ['a&b={q}#1? {language} $&', 'en'],
    ].map(([q, language]) => ({ q, language, agent: 'MDM' })),
  )
})

it('a search says when the geocoder is out of order, and goes nowhere else', async () => {
  for (const fault of Object.keys(geocoderFaults)) {
    await deps.clock.advance(5_000)
    expect([fault, await refusalOf(find(fault))]).toEqual([fault, 'geocoder_failed'])
  }
  expect(geocoder.redirected).toBe(0)
  // A failure is not kept: asked again it may work.
  const before = geocoder.asked.length
  await deps.clock.advance(5_000)
  expect(await refusalOf(find('out of order'))).toBe('geocoder_failed')
  expect(geocoder.asked).toHaveLength(before + 1)
})

it('the geocoder is not asked more than once a second in the long run, nor by one account all the time', async () => {
  await deps.clock.advance(5_000)
  const before = geocoder.asked.length
  const refusals = []
  for (let n = 0; n < 8; n++) refusals.push(await refusalOf(find(`street ${n}`)).catch(() => null))
  expect(refusals.filter((each) => each === 'too_many_requests')).toHaveLength(3)
  expect(geocoder.asked).toHaveLength(before + 5)
  expect(await find('Ga Hà Nội', 'vi')).toMatchObject({ is_on: true })
})

it('an account that has used up its hour takes nothing of what the others share', async () => {
  const busy = newKid()
  for (let n = 0; n < 340; n++) {
    await deps.clock.advance(1_000)
    await refusalOf(find('Ga Hà Nội ' + n, 'vi', busy)).catch(() => null)
  }
  for (let n = 0; n < 20; n++)
    expect(await refusalOf(find(`again ${n}`, 'en', busy)).catch(() => null)).toBe('too_many_requests')
  expect(await find('quiet street', 'en', newKid())).toMatchObject({ is_on: true })
})

it('the search for places is off unless a setting of the operator names an address', async () => {
  deps.config.geocoder = null
  expect(await find('Ga Hà Nội', 'vi')).toEqual({ is_on: false, places: [] })
  deps.config.geocoder = geocoder.template
  const set = (MDM_GEOCODER_URL: string) => readConfig({ MDM_GEOCODER_URL }, { env_file: '/nowhere' }).geocoder
  for (const address of [geocoder.template, 'https://example.com/{q}', 'https://example.com?q={q}&l={language}'])
    expect(set(address)).toBe(address)
  for (const wrong of ['file:///etc/passwd?{q}', 'https://{q}.example.com/', 'https://example.com/search'])
    expect(() => set(wrong)).toThrow()
})
