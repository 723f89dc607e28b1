import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base45, codesOf, collectCode, crc32, fromBase45, readCode } from './staging-codes.ts'
import type { HeldCodes } from './staging-codes.ts'
import { stagingLimits, StagingFault } from './staging.ts'

const most = stagingLimits.codes * stagingLimits.code_bytes
const Envelope = fc.uint8Array({ minLength: 1, maxLength: most, size: 'max' })

const faultOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof StagingFault) return error.code
    throw error
  }
  return 'none'
}

test('base45 is that of RFC 9285', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(base45(bytes('AB'))).toBe('BB8')
  expect(base45(bytes('Hello!!'))).toBe('%69 VD92EX0')
  expect(base45(bytes('ietf!'))).toBe('QED8WEX0')
  expect(crc32(bytes('123456789'))).toBe(0xcbf43926)
  for (const bad of ['GGW', 'a', ':::', '0', ':::0']) expect(faultOf(() => fromBase45(bad))).toBe('corrupt')
  fc.assert(
    fc.property(fc.uint8Array(), (given) => {
      expect(fromBase45(base45(given))).toEqual(given)
    }),
  )
})

test('every code stays within the alphanumeric mode of a QR code and below version 17', () => {
  fc.assert(
    fc.property(Envelope, (envelope) => {
      const codes = codesOf(envelope)!
      expect(codes.length).toBeLessThanOrEqual(stagingLimits.codes)
      for (const code of codes) {
        expect(code).toMatch(/^[0-9A-Z $%*+\-./:]+$/)
        expect(code.length).toBeLessThanOrEqual(656)
      }
    }),
    { numRuns: 30 },
  )
})

test('an envelope beyond the most codes has none', () => {
  expect(codesOf(new Uint8Array(most))).toHaveLength(stagingLimits.codes)
  expect(codesOf(new Uint8Array(most + 1))).toBeUndefined()
})

describe('a device puts a sequence together', () => {
  const scan = (texts: readonly string[], before: HeldCodes = {}) => {
    let held = before
    let envelope: Uint8Array | undefined
    for (const text of texts) {
      // As on disk: it is stopped and started between two codes.
      const collected = collectCode(JSON.parse(JSON.stringify(held)) as HeldCodes, text)
      held = collected.held
      envelope = collected.envelope ?? envelope
    }
    return { held, envelope }
  }

  test('in any order, with codes scanned twice', () => {
    const Scanned = Envelope.chain((envelope) => {
      const codes = codesOf(envelope)!
      return fc.record({
        envelope: fc.constant(envelope),
        order: fc.shuffledSubarray(codes, { minLength: codes.length }),
        again: fc.subarray(codes),
      })
    })
    fc.assert(
      fc.property(Scanned, ({ envelope, order, again }) => {
        const { held } = scan([...order.slice(0, -1), ...again.filter((code) => code !== order.at(-1))])
        expect(scan([order.at(-1)!], held)).toEqual({ held: {}, envelope })
      }),
      { numRuns: 50 },
    )
  })

  test('of two sequences at once, each', () => {
    const Two = fc.tuple(Envelope, Envelope).filter(([one, other]) => crc32(one) !== crc32(other))
    const Mixed = Two.chain(([one, other]) => {
      const codes = [...codesOf(one)!, ...codesOf(other)!]
      return fc.record({
        one: fc.constant(one),
        other: fc.constant(other),
        order: fc.shuffledSubarray(codes, { minLength: codes.length }),
      })
    })
    fc.assert(
      fc.property(Mixed, ({ one, other, order }) => {
        const whole: Uint8Array[] = []
        let held: HeldCodes = {}
        for (const text of order) {
          const collected = collectCode(held, text)
          held = collected.held
          if (collected.envelope) whole.push(collected.envelope)
        }
        expect(whole).toHaveLength(2)
        expect(whole).toEqual(expect.arrayContaining([one, other]))
        expect(held).toEqual({})
      }),
      { numRuns: 50 },
    )
  })

  test('what is missing is told, and the sequence begun first gives way', () => {
    const sequences = Array.from({ length: stagingLimits.sequences + 1 }, (_, at) =>
      codesOf(new Uint8Array(900).fill(at + 1))!,
    )
    expect(collectCode({}, sequences[0]![1]!)).toMatchObject({ of: 3, missing: [1, 3] })
    const { held } = scan(sequences.map(([first]) => first!))
    expect(Object.keys(held)).toHaveLength(stagingLimits.sequences)
    expect(held[readCode(sequences[0]![0]!).id]).toBeUndefined()
  })

  test('a code with a wrong character is refused, and nothing is lost by it', () => {
    const Wrong = Envelope.chain((envelope) => {
      const code = codesOf(envelope)![0]!
      return fc.record({
        code: fc.constant(code),
        at: fc.nat({ max: code.length - 1 }),
        by: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:a'),
      })
    })
    fc.assert(
      fc.property(Wrong, ({ code, at, by }) => {
        const wrong = code.slice(0, at) + by + code.slice(at + 1)
        fc.pre(wrong !== code)
        expect(faultOf(() => readCode(wrong))).toMatch(/^(not_a_code|corrupt)$/)
      }),
      { numRuns: 500 },
    )
  })

  test('codes that claim one sequence without being of it are refused', () => {
    const [first, second] = codesOf(new Uint8Array(800).fill(7)) as [string, string]
    const other = codesOf(new Uint8Array(1200).fill(9))!
    const { id } = readCode(first)
    // Each was put into the store by a fault, under a name that is not its own.
    const held = { [id]: { of: 2, parts: { 1: other[0]! } } }
    expect(faultOf(() => collectCode(held, second))).toBe('mixed')
    expect(faultOf(() => collectCode(held, first))).toBe('mixed')
    expect(faultOf(() => collectCode({ [id]: { of: 3, parts: {} } }, first))).toBe('mixed')
    expect(faultOf(() => readCode('https://mdm.example.com/enrol?qr=abc'))).toBe('not_a_code')
    expect(faultOf(() => readCode(first.replace('1/2', '1/99')))).toBe('corrupt')
  })
})
