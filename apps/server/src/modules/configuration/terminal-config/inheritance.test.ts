import { ltscopes } from '@mdm/contract'
import { platformConfig } from '@mdm/contract/config/sections.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup } from '../../devices/terminal/index.ts'
import * as edits from './save.ts'
import { current } from './current.ts'

let f: Fleet
beforeAll(async () => void (f = await fleet(0)))
afterAll(() => f?.close())

/** Repeatable chance (mulberry32). */
function chance(seed: number) {
  let at = seed
  return (below: number): number => {
    at = (at + 0x6d2b79f5) | 0
    let t = Math.imul(at ^ (at >>> 15), 1 | at)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** All there is to inheritance: of the device, else of its groups upwards, else of the account, else the platform's. */
class Model {
  parents = new Map<string, string | null>()
  groupOf = new Map<string, string | null>()
  set = new Map<string, number>()
  of(device: string): number {
    const own = this.set.get(device)
    if (own !== undefined) return own
    for (let at = this.groupOf.get(device) ?? null; at !== null; at = this.parents.get(at) ?? null)
      if (this.set.has(at)) return this.set.get(at)!
    return this.set.get('account') ?? platformConfig.collection.battery_percent
  }
}

it.each([1, 2, 3, 4])('random trees, edits, moves and resets resolve to what the model says (%i)', async (seed) => {
  const pick = chance(seed)
  const actor = { ...testActor(f.deps, f.account_kid), may: () => true, user_kid: newKid() }
  const model = new Model()
  const devices: string[] = []
  for (let n = 0; n < 4; n += 1) {
    const kid = await addTerminal(f.deps, f.account_kid, { sn: newKid() })
    devices.push(kid)
    model.groupOf.set(kid, null)
  }
  const one = <T>(list: readonly T[]): T => list[pick(list.length)]!
  const placeOf = (kid: string) =>
    kid === 'account'
      ? { ltscope: ltscopes.account }
      : devices.includes(kid)
        ? { ltscope: ltscopes.terminal, terminal_kid: kid }
        : { ltscope: ltscopes.group, terminal_group_kid: kid }
  const everywhere = () => ['account', ...model.parents.keys(), ...devices]
  const steps = [
    async () => {
      const parent = pick(3) === 0 ? null : one([null, ...model.parents.keys()])
      if (parent !== null && depthOf(parent) > 6) return
      const { kid } = await groups.insert(actor, { name: newKid(), parent_kid: parent ?? 'ROOT' })
      model.parents.set(kid, parent)
    },
    async () => {
      const [kid, battery_percent] = [one(everywhere()), 1 + pick(99)]
      await edits.save(actor, { ...placeOf(kid), collection: { ...platformConfig.collection, battery_percent } })
      model.set.set(kid, battery_percent)
    },
    async () => {
      const kid = one(everywhere())
      await edits.reset(actor, placeOf(kid))
      model.set.delete(kid)
    },
    async () => {
      const [device, to] = [one(devices), one([null, ...model.parents.keys()])]
      await moveGroup(actor, { terminal_kids: [device], terminal_group_kid: to ?? 'NO_GROUP' })
      model.groupOf.set(device, to)
    },
    async () => {
      if (model.parents.size === 0) return
      const [kid, to] = [one([...model.parents.keys()]), one([null, ...model.parents.keys()])]
      if (to !== null && (above(to).includes(kid) || depthOf(to) > 4)) return
      await groups.move(actor, { kid, target_parent_kid: to ?? 'ROOT' })
      model.parents.set(kid, to)
    },
    async () => {
      if (model.parents.size < 3) return
      const kid = one([...model.parents.keys()])
      const up = model.parents.get(kid)!
      await groups.remove(actor, kid)
      for (const [child, parent] of model.parents) if (parent === kid) model.parents.set(child, up)
      for (const [device, at] of model.groupOf) if (at === kid) model.groupOf.set(device, up)
      model.parents.delete(kid)
      model.set.delete(kid)
    },
  ]
  function above(kid: string): string[] {
    const path: string[] = []
    for (let at: string | null = kid; at !== null; at = model.parents.get(at) ?? null) path.push(at)
    return path
  }
  const depthOf = (kid: string) => above(kid).length

  for (let n = 0; n < 40; n += 1) {
    await steps[pick(steps.length)]!()
    const device = one(devices)
    const { collection } = await current(actor, placeOf(device))
    expect(collection!.value!.battery_percent).toBe(model.of(device))
  }
  for (const device of devices)
    expect((await current(actor, placeOf(device))).collection!.value!.battery_percent).toBe(model.of(device))
  await edits.reset(actor, placeOf('account'))
})
