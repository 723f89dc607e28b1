import { describe, expect, it } from 'vitest'
import { batcher } from './batch.ts'

class Unavailable extends Error {}

function setUp(commit: (items: string[]) => Promise<void>) {
  const refused: string[] = []
  const batches: string[][] = []
  const queue = batcher<string>({
    async commit(items) {
      await commit(items)
      batches.push(items)
      return () => {}
    },
    max: 4,
    max_waiting: 8,
    isUnavailable: (error) => error instanceof Unavailable,
    refused: (item) => void refused.push(item),
    afterCommitFailed: () => {},
  })
  return { queue, refused, batches }
}
const settled = async (promise: Promise<void>) => {
  let state = 'pending'
  promise.then(
    () => (state = 'done'),
    () => (state = 'rejected'),
  )
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return state
}

describe('group commit', () => {
  it('acknowledges nothing before its own transaction has ended', async () => {
    let commit = () => {}
    const { queue, batches } = setUp(() => new Promise<void>((resolve) => (commit = resolve)))
    const first = queue.add('a')
    expect(await settled(first)).toBe('pending')
    const second = queue.add('b')
    const third = queue.add('c')
    commit()
    expect(await settled(first)).toBe('done')
    expect(await settled(second)).toBe('pending')
    commit()
    expect(await settled(third)).toBe('done')
    expect(batches).toEqual([['a'], ['b', 'c']])
  })

  it('rejects everything while the database cannot answer, and goes on when it can', async () => {
    let is_down = true
    const { queue, refused } = setUp(async () => {
      if (is_down) throw new Unavailable()
    })
    const both = await Promise.allSettled([queue.add('a'), queue.add('b')])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    is_down = false
    await queue.add('a')
    expect(refused).toEqual([])
  })

  it('finds the one bad item of a batch, keeps the order of the others and lets no bad one come back', async () => {
    const { queue, refused, batches } = setUp(async (items) => {
      if (items.includes('bad')) throw new Error('constraint')
    })
    await Promise.all(['a', 'bad', 'b', 'c', 'd'].map((item) => queue.add(item)))
    expect(refused).toEqual(['bad'])
    expect(batches.flat()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('tries a deadlock again instead of blaming an item', async () => {
    let left = 2
    const { queue, refused, batches } = setUp(async () => {
      if (left-- > 0) throw Object.assign(new Error('deadlock'), { code: '40P01' })
    })
    await Promise.all([queue.add('a'), queue.add('b')])
    expect(refused).toEqual([])
    expect(batches).toEqual([['a', 'b']])
  })

  it('is bounded, and when it closes it commits what it took and takes no more', async () => {
    const { queue, batches } = setUp(async () => {})
    const taken = Array.from({ length: 8 }, (_, n) => queue.add(String(n)))
    await expect(queue.add('9')).rejects.toThrow('too many')
    await queue.close()
    await Promise.all(taken)
    expect(batches.flat()).toHaveLength(8)
    await expect(queue.add('x')).rejects.toThrow('closing')
  })
})
