import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareOsVersions, osStanding, parseOsVersion } from './os-version.ts'
import type { OsVersion } from './os-version.ts'

const digits = fc.stringMatching(/^\d{1,4}$/)
const suffix = fc.oneof(fc.constant(''), fc.stringMatching(/^_[A-Za-z0-9]{1,5}$/))
const number = fc
  .tuple(fc.array(digits, { minLength: 3, maxLength: 4 }), suffix)
  .map(([segments, end]) => segments.join('.') + end)
/** Few values, so that versions are often the same in part; and what is no version at all. */
const few = fc.constantFrom('9.0.1', '9.00.1', '9.0.1.0', '9.0.1.1', '9.0.1_A', '9.0.1_a', '9.0.1_A1', '9.0.1_A01')
const text = fc.oneof(few, number, fc.constantFrom('', '22.04', 'rolling', '9.0.1_'), fc.string({ maxLength: 70 }))
const count = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer({ min: 0, max: 3 }))
const version: fc.Arbitrary<OsVersion> = fc
  .record({ os_version: text, version_code: count, ver: count })
  .map(({ os_version, version_code, ver }) => ({
    os_version,
    ...(version_code !== undefined && { version_code }),
    ...(ver !== undefined && { ver }),
  }))
const order = (a: OsVersion, b: OsVersion) => Math.sign(compareOsVersions(a, b))
const of = (os_version: string, version_code?: number, ver?: number): OsVersion => ({
  os_version,
  version_code: version_code ?? null,
  ver: ver ?? null,
})

describe('a version number', () => {
  it('has 3 or 4 numeric segments and perhaps a suffix', () => {
    expect(parseOsVersion(' 9.00.123_CD01 ')).toEqual({ segments: ['9', '0', '123', '0'], suffix: ['CD', '1'] })
    expect(parseOsVersion('9.00.123.4')).toEqual({ segments: ['9', '0', '123', '4'], suffix: [] })
    for (const none of [
      '',
      '9',
      '9.0',
      '9.0.1.2.3',
      '9.0.x',
      '9.0.1_',
      '9.0.1_a-b',
      '9.0.1_A_B',
      '-9.0.1',
      '9..1',
      '1.2.3'.padEnd(65, '4'),
    ])
      expect(parseOsVersion(none), none).toBeUndefined()
  })
})

describe('the order of versions', () => {
  it('is as in the table of decision 030', () => {
    const sorted = [
      of('rolling'),
      of('8.99.999'),
      of('9.00.123'),
      of('9.00.123', 1),
      of('9.00.123', 1, 4),
      of('9.00.123', 2, 1),
      of('9.00.123_9'),
      of('9.00.123_CD9'),
      of('9.00.123_CD10'),
      of('9.00.123_CD10B'),
      of('9.00.123.1'),
      of('9.00.1230'),
      of('9.01.0'),
      of('10.0.0'),
      of('99999999999999999999.0.0'),
    ]
    expect([...sorted].reverse().sort(compareOsVersions)).toEqual(sorted)
  })

  it('is total: of any two, each against the other, one is older or both are the same', () => {
    fc.assert(
      fc.property(version, version, (a, b) => order(a, b) + order(b, a) === 0),
      { numRuns: 2_000 },
    )
    fc.assert(fc.property(version, (a) => order(a, a) === 0))
  })

  it('is transitive, sameness too', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        const [x, y, z] = [a, b, c].sort(compareOsVersions) as [OsVersion, OsVersion, OsVersion]
        expect(order(x, y)).toBeLessThanOrEqual(0)
        expect(order(y, z)).toBeLessThanOrEqual(0)
        expect(order(x, z)).toBe(Math.min(order(x, y), order(y, z)))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('what a version is for a device', () => {
  it('goes by what the device reports', () => {
    expect(osStanding(of('9.0.1'), of('9.0.1', 12, 3))).toBe('same')
    expect(osStanding(of('9.0.1', 12), of('9.0.1', 12, 3))).toBe('same')
    expect(osStanding(of('9.0.1', 11), of('9.0.1', 12, 3))).toBe('newer')
    expect(osStanding(of('9.0.1', 12, 4), of('9.0.1', 12, 3))).toBe('older')
    expect(osStanding(of('9.0.2'), of('9.0.1', 99, 99))).toBe('older')
    expect(osStanding(of('22.04'), of('9.0.1'))).toBe('unknown')
  })

  it('agrees with the order where both say everything, and mirrors itself', () => {
    const mirrored = { newer: 'older', older: 'newer', same: 'same', unknown: 'unknown' }
    const full = (of: OsVersion): OsVersion => ({ ...of, version_code: of.version_code ?? 0, ver: of.ver ?? 0 })
    fc.assert(
      fc.property(version, version, (device, target) => {
        const standing = osStanding(device, target)
        expect(osStanding(target, device)).toBe(mirrored[standing])
        if (parseOsVersion(device.os_version)) expect(osStanding(device, device)).toBe('same')
        const [a, b] = [full(device), full(target)]
        if (standing !== 'unknown')
          expect({ newer: 1, older: -1, same: 0, unknown: NaN }[osStanding(a, b)]).toBe(order(b, a))
      }),
      { numRuns: 2_000 },
    )
  })
})
