import { describe, expect, test } from 'vitest'
import type { Quality } from '../picture.ts'
import { firstSteps, LinkMeter, nextSteps } from './link-meter.ts'
import type { Seen, Steps } from './link-meter.ts'

const bad: Seen = { picture_ms: 1_500, delay_ms: 0 }
const good: Seen = { picture_ms: 50, delay_ms: 20 }
const middling: Seen = { picture_ms: 600, delay_ms: 500 }
const after = (seen: readonly Seen[], from: Steps = firstSteps): Steps => seen.reduce(nextSteps, from)
const times = (count: number, seen: Seen): Seen[] => Array.from({ length: count }, () => seen)

describe('steps of quality', () => {
  test('one slow beat changes nothing, two step down, and below the lowest there is none', () => {
    expect(after([bad]).quality).toBe('medium')
    expect(after([bad, good, bad]).quality).toBe('medium')
    expect(after([bad, bad]).quality).toBe('low')
    expect(after([{ picture_ms: 0, delay_ms: 900 }, bad]).quality).toBe('low')
    expect(after(times(40, bad)).quality).toBe('low')
  })

  test('a step up takes three easy beats in a row, and above the highest there is none', () => {
    expect(after([good, good]).quality).toBe('medium')
    expect(after([good, good, middling, good, good]).quality).toBe('medium')
    expect(after([good, good, good]).quality).toBe('high')
    expect(after(times(40, good)).quality).toBe('high')
  })

  test('what bears the quality and not the next one stays where it is', () => {
    expect(after(times(40, middling)).quality).toBe('medium')
  })

  test('a step up that is taken back is tried again after twice the time, and at most every two and a half minutes', () => {
    let steps = firstSteps
    const waits: number[] = []
    for (let round = 0; round < 6; round++) {
      let wait = 0
      while (steps.quality !== 'high') {
        steps = nextSteps(steps, good)
        wait += 1
      }
      waits.push(wait)
      steps = after([bad, bad], steps)
    }
    expect(waits).toEqual([3, 6, 12, 24, 48, 48])
  })

  test('a step up that has lasted is not held against the next one', () => {
    const lasting = after(times(12, good))
    expect(lasting.is_trial).toBe(false)
    expect(after([bad, bad], lasting)).toMatchObject({ quality: 'medium', wanted: 3 })
  })
})

const [piece_bytes, beat_ms] = [32 * 1024, 3_000]
/** Of a picture, as a screen full of text comes to. */
const picture_bytes: Record<Quality, number> = { low: 40_000, medium: 120_000, high: 400_000 }

/** A socket that lets so many bytes a second through, one after another; a picture is asked for when the one before is there. */
function throttled(meter: LinkMeter) {
  let now = 0
  let next_beat = beat_ms
  let asked_at: number | undefined
  return {
    run(seconds: number, bytes_per_second: number, base_ms = 20) {
      const until = now + seconds * 1_000
      const qualities: Quality[] = []
      const beats = () => {
        while (next_beat <= now) {
          meter.beat(next_beat)
          qualities.push(meter.current().quality)
          asked_at ??= next_beat
          next_beat += beat_ms
        }
      }
      while (now < until) {
        now += base_ms
        beats()
        const is_answer = asked_at !== undefined && asked_at + base_ms <= now
        for (let left = picture_bytes[meter.current().quality]; left > 0; left -= piece_bytes) {
          const bytes = Math.min(left, piece_bytes)
          now += (bytes / bytes_per_second) * 1_000
          beats()
          meter.arrived(bytes, now)
          if (left <= piece_bytes) {
            meter.pictureEnded()
            if (is_answer) {
              meter.answered(now)
              asked_at = undefined
            }
          }
          meter.read(left > piece_bytes)
        }
      }
      return qualities
    },
  }
}

describe('a throttled socket', () => {
  test('is measured, stepped down for, and stepped up for again when it is let go', () => {
    const meter = new LinkMeter()
    const socket = throttled(meter)
    socket.run(30, 10_000_000)
    expect(meter.current().quality).toBe('high')
    expect(meter.current().bytes_per_second! / 10_000_000).toBeCloseTo(1, 1)

    const falling = socket.run(60, 60_000)
    expect(meter.current().bytes_per_second! / 60_000).toBeCloseTo(1, 1)
    expect(falling.at(-1)).toBe('low')
    // Once down it stays: on such a way a higher quality is not even tried.
    expect(new Set(falling.slice(falling.indexOf('low')))).toEqual(new Set(['low']))

    expect(socket.run(60, 10_000_000).at(-1)).toBe('high')
  })

  test('on the border of two qualities changes less and less often', () => {
    const meter = new LinkMeter()
    const all = throttled(meter).run(1_800, 350_000)
    const changes = all.filter((quality, at) => at > 0 && quality !== all[at - 1]).length
    expect(all).toContain('medium')
    expect(changes).toBeLessThan(all.length / 10)
  })

  test('a way that is long and wide is not taken for a narrow one', () => {
    const meter = new LinkMeter()
    expect(throttled(meter).run(60, 10_000_000, 900).at(-1)).toBe('high')
    expect(meter.current().round_trip_ms).toBeGreaterThan(900)
  })

  test('an answer that never comes is slow, and another connection begins anew with the quality that fitted', () => {
    const meter = new LinkMeter()
    for (let beat = 1; beat <= 3; beat++) meter.beat(beat * beat_ms)
    expect(meter.current().quality).toBe('low')
    meter.begin()
    expect(meter.current()).toEqual({ quality: 'low', bytes_per_second: null, round_trip_ms: null })
  })
})
