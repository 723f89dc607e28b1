import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Actor } from '../../../actor.ts'
import { terminalApp } from '@mdm/contract'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, addTerminal, openDeps, refusalOf } from '../../../testing/devices.ts'
import { list } from './service.ts'

let deps: TestDeps
let kid: string
let actor: Actor
beforeAll(async () => {
  deps = await openDeps('embedded')
  const account = await addAccount(deps)
  kid = await addTerminal(deps, account, {}, { is_online: true })
  actor = testActor(deps, account)
})
afterAll(() => deps.close())
const answers = (answer: (after: string | undefined) => unknown) => {
  deps.link.request = async (_kid, _method, params) => answer(params['after'] as string | undefined)
}
const app = (name: string) => ({ package: name, version: '1' })

it('a list of apps is whole, however many parts it comes in, and in whatever order the device sorts', async () => {
  const parts = Array.from({ length: 7 }, (_, part) =>
    Array.from({ length: 900 }, (_, n) => app(`app-${9 - part}-${n}`)),
  )
  answers((after) => {
    const part = after === undefined ? 0 : parts.findIndex((each) => each.at(-1)!.package === after) + 1
    return { items: parts[part], next: part === parts.length - 1 ? null : parts[part]!.at(-1)!.package }
  })
  const all = await list(actor, kid)
  // What the call promises holds for it: otherwise whoever asks gets 500.
  expect(terminalApp.calls.list.output.safeParse(all).error).toBeUndefined()
  expect(all.items.map((each) => each.package)).toEqual(parts.flat().map((each) => each.package))
})

it('of a device that says the same again, nothing, or always more, is refused', async () => {
  answers(() => ({ items: [app('a')], next: 'a' }))
  expect(await refusalOf(list(actor, kid))).toBe('device_answer_invalid')
  answers(() => ({ items: [], next: 'a' }))
  expect(await refusalOf(list(actor, kid))).toBe('device_answer_invalid')
  let n = 0
  answers(() => ({ items: Array.from({ length: 2_000 }, (_, i) => app(`app-${n}-${i}`)), next: `a-${(n += 1)}` }))
  expect(await refusalOf(list(actor, kid))).toBe('device_answer_invalid')
  expect(n).toBeLessThan(15)
  n = 0
  answers(() => ({ items: [app('a')], next: `a-${(n += 1)}` }))
  expect(await refusalOf(list(actor, kid))).toBe('device_answer_invalid')
})
