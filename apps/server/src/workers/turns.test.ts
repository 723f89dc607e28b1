import { expect, it, vi } from 'vitest'
import { Refusal } from '../refusal.ts'
import { turns } from './turns.ts'

function place(at_once: number) {
  const turn = turns(at_once)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const places = new Map<string, number[]>()
  const ask = (name: string, account_kid: string, user_kid = name, signal?: AbortSignal) =>
    turn({ account_kid, user_kid, on_place: (place) => void told(name).push(place), signal }, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const told = (name: string) => places.get(name) ?? places.set(name, []).get(name)!
  const settled = () => new Promise(setImmediate)
  const end = async (name: string) => {
    ends.get(name)!()
    await settled()
  }
  return { ask, begun, end, settled, told }
}
const refused = (error: unknown) => (error instanceof Refusal ? error.refusal : error)

it('an account that asks for much keeps none waiting but itself', async () => {
  const { ask, begun, end, settled } = place(2)
  const all = [ask('a1', 'a'), ask('a2', 'a'), ask('a3', 'a'), ask('b1', 'b')]
  await settled()
  expect(begun).toEqual(['a1', 'b1'])
  await end('b1')
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  await end('a2')
  await end('a3')
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1'])
})

it('no more than so many at once, in the order of their asking', async () => {
  const { ask, begun, end, settled } = place(2)
  void [ask('a', 'a'), ask('b', 'b'), ask('c', 'c'), ask('d', 'd')]
  await settled()
  expect(begun).toEqual(['a', 'b'])
  await end('b')
  expect(begun).toEqual(['a', 'b', 'c'])
  await end('a')
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
})

it('one person may have two waiting, and does not take the places of others of the account', async () => {
  const { ask, begun, end } = place(1)
  void [ask('1', 'a', 'eve'), ask('2', 'a', 'eve'), ask('3', 'a', 'eve')]
  expect(await ask('4', 'a', 'eve').catch(refused)).toBe('too_many_requests')
  void ask('5', 'a', 'bob')
  for (const name of ['1', '2', '5']) await end(name)
  expect(begun).toEqual(['1', '2', '5', '3'])
})

it('a customer with many people takes no place of others', async () => {
  const { ask, begun, end, settled } = place(1)
  const asked = Array.from({ length: 60 }, (_, i) => ask(`a${i}`, 'a', `person ${i % 30}`).catch(refused))
  void ask('b', 'b')
  await settled()
  await end('a0')
  await end(begun[1]!)
  expect(begun).toContain('b')
  expect(begun).toHaveLength(3)
  // None of them asked for more than a person may.
  const refusals = vi.fn<(said: unknown) => void>()
  for (const one of asked) void one.then((said) => said === 'too_many_requests' && refusals(said))
  await settled()
  expect(refusals).not.toHaveBeenCalled()
})

it('accounts take turns, whoever asked first for how much', async () => {
  const { ask, begun, end, settled } = place(1)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, 'a')
  for (const name of ['b1', 'b2', 'c1']) void ask(name, name[0]!)
  await settled()
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

it('who waits is told the place in the line, and each place that follows', async () => {
  const { ask, end, settled, told } = place(1)
  for (const name of ['a1', 'a2', 'a3', 'b1']) void ask(name, name[0]!)
  await settled()
  expect([told('a1'), told('a2'), told('a3'), told('b1')]).toEqual([[], [1], [2, 3], [2]])
  await end('a1')
  expect([told('a3'), told('b1')]).toEqual([
    [2, 3, 2],
    [2, 1],
  ])
})

it('when every place is taken, who holds most of them gives one up, and who holds as much is told so', async () => {
  const { ask, settled } = place(1)
  void ask('runs', 'runs')
  const large = Array.from({ length: 90 }, (_, i) => ask(`a${i}`, 'a').catch(refused))
  for (let i = 0; i < 10; i++) void ask(`b${i}`, 'b')
  expect(await ask('one more', 'a').catch(refused)).toBe('too_many_requests')
  const other = ask('c', 'c').catch(refused)
  expect(await large.at(-1)).toBe('too_many_requests')
  const waits = settled().then(() => 'waits')
  expect(await Promise.all([other, large.at(-2), large[0]].map((one) => Promise.race([one, waits])))).toEqual([
    'waits',
    'waits',
    'waits',
  ])
})

it('who has gone gives up the place, waiting or not', async () => {
  const { ask, begun, end } = place(1)
  const gone = new AbortController()
  void ask('a', 'a')
  const left = ask('b', 'b', 'b', gone.signal)
  void ask('c', 'c')
  gone.abort()
  await expect(left).rejects.toThrow('aborted')
  await end('a')
  expect(begun).toEqual(['a', 'c'])
  await expect(ask('d', 'd', 'd', AbortSignal.abort())).rejects.toThrow('aborted')
})
