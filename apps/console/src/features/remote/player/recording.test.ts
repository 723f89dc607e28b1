import { describe, expect, test } from 'vitest'
import { dueBy, parseCast, parseFbs, UnreadableRecording } from './recording.ts'

function fbs(blocks: readonly (readonly [text: string, ms: number])[]): Uint8Array<ArrayBuffer> {
  const parts: number[] = [...new TextEncoder().encode('FBS 001.001\n')]
  const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  for (const [text, ms] of blocks) {
    const data = [...new TextEncoder().encode(text)]
    parts.push(...u32(data.length), ...data, ...Array<number>((4 - (data.length % 4)) % 4).fill(0), ...u32(ms))
  }
  return new Uint8Array(parts)
}
const texts = (bytes: Uint8Array<ArrayBuffer>) =>
  parseFbs(bytes).pieces.map(({ at_ms, data }) => [new TextDecoder().decode(data), at_ms])

describe('a recording of a screen', () => {
  test('is blocks and when they came, without their padding', () => {
    const bytes = fbs([
      ['hello', 0],
      ['four', 40],
      ['', 70],
      ['x', 2_500],
    ])
    expect(texts(bytes)).toEqual([
      ['hello', 0],
      ['four', 40],
      ['', 70],
      ['x', 2_500],
    ])
    expect(parseFbs(bytes).duration_ms).toBe(2_500)
  })

  test('ends with its last whole block, wherever it was cut off', () => {
    const whole = fbs([
      ['hello', 0],
      ['world', 10],
    ])
    const first = fbs([['hello', 0]])
    for (let end = first.length; end < whole.length; end++) expect(texts(whole.slice(0, end))).toEqual([['hello', 0]])
  })

  test('never goes back in time, and reads from within a larger buffer', () => {
    expect(
      texts(
        fbs([
          ['a', 50],
          ['b', 20],
        ]),
      ),
    ).toEqual([
      ['a', 50],
      ['b', 50],
    ])
    const inner = fbs([['a', 5]])
    const outer = new Uint8Array(inner.length + 7)
    outer.set(inner, 7)
    expect(texts(outer.subarray(7))).toEqual([['a', 5]])
  })

  test('is refused when it is something else', () => {
    expect(() => parseFbs(new TextEncoder().encode('FBS 001.000\n'))).toThrow(UnreadableRecording)
    expect(() => parseFbs(new Uint8Array())).toThrow(UnreadableRecording)
  })
})

describe('a recording of a terminal', () => {
  const head = JSON.stringify({ version: 2, width: 100, height: 30 })

  test('is what was written and how large it was', () => {
    const cast = parseCast([head, '[0.5,"o","$ "]', '[1.25,"i","ls"]', '[1.5,"r","120x40"]', ''].join('\n'))
    expect(cast).toEqual({
      columns: 100,
      rows: 30,
      duration_ms: 1_500,
      pieces: [
        { at_ms: 500, data: { output: '$ ' } },
        { at_ms: 1_500, data: { columns: 120, rows: 40 } },
      ],
    })
  })

  test('ends with its last whole line, and is refused when it is something else', () => {
    expect(parseCast([head, '[0.5,"o","a"]', '[0.7,"o","b'].join('\n')).pieces).toHaveLength(1)
    expect(parseCast('{"version":2,"width":100000}')).toMatchObject({ columns: 80, rows: 24 })
    for (const other of ['', '{"version":1}', 'FBS 001.001', '[]', 'null'])
      expect(() => parseCast(other)).toThrow(UnreadableRecording)
  })
})

test('what is due by a moment is found among many', () => {
  const pieces = [0, 0, 10, 20, 20, 30].map((at_ms) => ({ at_ms, data: null }))
  expect([-1, 0, 9, 10, 20, 25, 30, 99].map((at) => dueBy(pieces, at))).toEqual([0, 2, 2, 3, 5, 5, 6, 6])
})
