import { describe, expect, it } from 'vitest'
import { inMemory } from '../lib/apk/source.ts'
import { ownProcess } from '../lib/own-process.ts'
import { carryOut } from './reader.ts'
import type { Ended } from './reader.ts'

const limits = { cpu_ms: 60_000, mebibytes: 4_000, clock_ms: 600_000 }
const begin = (name: string, more: Partial<typeof limits> = {}, left?: AbortSignal) => {
  const child = ownProcess(import.meta.url, '../testing/stuck-reader', {
    execArgv: ['--max-old-space-size=96'],
    is_silent: true,
  })
  const source = inMemory(Buffer.from('abcdef'))
  return { child, ended: carryOut(child, { name, input: { at: 2 }, source, limits: { ...limits, ...more } }, left) }
}
const isGone = (pid: number | undefined): boolean => {
  try {
    return !process.kill(pid!, 0)
  } catch {
    return true
  }
}

describe('a process that reads a file', () => {
  it('is given the parts that it asks for, and ends with its answer', async () => {
    const { child, ended } = begin('length')
    expect(await ended).toEqual({ kind: 'done', value: 'cde' })
    expect(isGone(child.pid)).toBe(true)
  })

  const cases: [what: string, name: string, more: Partial<typeof limits>, Ended['kind']][] = [
    ['works without end', 'spin', { cpu_ms: 300 }, 'killed'],
    ['fills memory beside the heap', 'buffers', { mebibytes: 100 }, 'killed'],
    ['fills the heap', 'heap', {}, 'killed'],
    ['waits without end', 'wait', { clock_ms: 200 }, 'killed'],
    ['leaves without an answer', 'leave', {}, 'killed'],
    ['leaves before it looked at the file', 'never_begins', {}, 'not_begun'],
    ['throws what is no refusal', 'broken', {}, 'broken'],
    ['is asked for what it does not know', 'unknown', {}, 'broken'],
  ]
  it.each(cases)('is ended when it %s', async (_, name, more, kind) => {
    const { child, ended } = begin(name, more)
    expect((await ended).kind).toBe(kind)
    expect(isGone(child.pid)).toBe(true)
  })

  it.each(['spin', 'wait'])('is ended with who asked, though it would %s for ever', async (name) => {
    const left = new AbortController()
    const { child, ended } = begin(name, {}, left.signal)
    // It has begun by then, and would never come back.
    child.once('message', () => left.abort())
    await expect(ended).rejects.toThrow('aborted')
    expect(isGone(child.pid)).toBe(true)
  })

  it('is not left behind by who had gone before it began', async () => {
    const { child, ended } = begin('spin', {}, AbortSignal.abort())
    await expect(ended).rejects.toThrow('aborted')
    expect(isGone(child.pid)).toBe(true)
  })
})
