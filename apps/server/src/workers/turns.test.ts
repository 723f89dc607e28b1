import { expect, it } from 'vitest'
import { Refusal } from '../refusal.ts'
import { turns } from './turns.ts'

function place(at_once: number) {
  const turn = turns(at_once)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, account_kid: string, user_kid = name, left?: AbortSignal) =>
    turn({ account_kid, user_kid }, left, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const settled = () => new Promise(setImmediate)
  const end = async (name: string) => {
    ends.get(name)!()
    await settled()
  }
  return { ask, begun, end, settled }
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
  for (const name of ['1', '2', '3']) await end(name)
  expect(begun).toEqual(['1', '2', '3', '5'])
})

it('when too many wait, the next is told so', async () => {
  const { ask } = place(1)
  for (let n = 0; n <= 20; n++) void ask(String(n), String(n))
  expect(await ask('x', 'x').catch(refused)).toBe('too_many_requests')
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
