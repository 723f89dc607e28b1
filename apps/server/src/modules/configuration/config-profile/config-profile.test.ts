import { ltscopes } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { workOutOne } from '../../../link/delivery/configurations.ts'
import { testActor } from '../../../testing/actor.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as dynamic from '../../fleet/terminal-dynamic-group/service.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup } from '../../devices/terminal/index.ts'
import { current } from '../terminal-config/current.ts'
import * as edits from '../terminal-config/save.ts'
import { affected } from '../terminal-config/affected.ts'
import { profileMembers } from './members.ts'
import * as profiles from './service.ts'

let f: Fleet
beforeAll(async () => {
  f = await fleet(4, {})
  for (const kid of f.kids) await f.connect(kid)
})
afterAll(() => f?.close())

const caller = (visible_groups?: readonly string[]) => ({
  ...testActor(f.deps, f.account_kid, visible_groups),
  may: () => true,
})
const device = (terminal_kid: string) => ({ ltscope: ltscopes.terminal, terminal_kid })
const group = (terminal_group_kid: string) => ({ ltscope: ltscopes.group, terminal_group_kid })
const profile = (profile_kid: string) => ({ ltscope: ltscopes.profile, profile_kid })
const ntp = (server: string) => ({ ntp: { server, every_hours: 4 } })
const newGroup = async (parent_kid = 'ROOT') => (await groups.insert(caller(), { name: newKid(), parent_kid })).kid
const newProfile = async (server: string) => {
  const kid = await profiles.insert(caller(), { name: `Profile ${server}`, description: '' })
  await edits.save(caller(), { ...profile(kid), ...ntp(server) })
  return kid
}
const move = (kid: string, to: string) =>
  moveGroup(Object.assign(caller(), { user_kid: newKid() }), { terminal_kids: [kid], terminal_group_kid: to })
const holds = async (kid: string) => {
  const { ntp: of } = await current(caller(), device(kid))
  return [of?.value?.server, of?.source.name]
}
const told = async (kid: string) => {
  await backgroundAtRest(f.deps)
  await workOutOne(f.deps, kid)
  const row = await f.deps.db
    .selectFrom('terminal_config_delivery')
    .select('config')
    .where('terminal_kid', '=', kid)
    .executeTakeFirst()
  return (row?.config as { ntp?: { server: string } } | undefined)?.ntp?.server
}
const refusalOf = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: { refusal?: string }) => error.refusal,
  )

it('holds between a group and the device, the lowest position first, and says where a value comes from', async () => {
  const [kid] = f.kids as [string]
  const outer = await newGroup()
  const inner = await newGroup(outer)
  await move(kid, inner)
  await edits.save(caller(), { ...group(inner), ...ntp('group.example') })
  const [first, second] = [await newProfile('first.example'), await newProfile('second.example')]
  // The group above uses one: it wins over what the nearer group sets.
  await profiles.addUse(caller(), { profile_kid: second, terminal_group_kid: outer, position: 20 })
  expect(await holds(kid)).toEqual(['second.example', 'Profile second.example'])
  expect(await told(kid)).toBe('second.example')
  await profiles.addUse(caller(), { profile_kid: first, terminal_kid: kid, position: 10 })
  expect(await told(kid)).toBe('first.example')
  await profiles.addUse(caller(), { profile_kid: first, terminal_kid: kid, position: 30 })
  expect(await told(kid)).toBe('second.example')
  // A change of the group changes nothing for a device that a profile decides for, and that of the profile does.
  expect((await affected(caller(), { ...group(inner), ...ntp('other.example') })).devices).toBe(0)
  expect(
    (await affected(caller(), { ...profile(second), ...ntp('other.example') })).items.map((one) => one.kid),
  ).toEqual([kid])
  await edits.save(caller(), { ...profile(second), ...ntp('changed.example') })
  expect(await told(kid)).toBe('changed.example')
  await edits.save(caller(), { ...device(kid), ...ntp('own.example') })
  expect(await told(kid)).toBe('own.example')
  await edits.reset(caller(), device(kid))
  // Whoever leaves the group leaves its profile.
  await move(kid, await newGroup())
  expect(await told(kid)).toBe('first.example')
  await profiles.removeUse(caller(), { profile_kid: first, terminal_kid: kid })
  expect(await told(kid)).toBeUndefined()
})

it('follows dynamic groups as devices come and leave, and when they are deleted', async () => {
  const [, kid] = f.kids as [string, string]
  const named = (value: string) => ({ all: [{ field: 'name' as const, op: 'contains' as const, value }] })
  const { kid: dynamic_kid } = await dynamic.insert(caller(), { name: newKid(), where: named('nobody is called so') })
  const profile_kid = await newProfile('dynamic.example')
  const use = { profile_kid, terminal_dynamic_group_kid: dynamic_kid }
  await profiles.addUse(caller(), { ...use, position: 1 })
  expect(await told(kid)).toBeUndefined()
  const looked = async () => {
    wake(f.deps, profileMembers)
    return told(kid)
  }
  await f.deps.db.updateTable('terminal').set({ name: 'Kiosk 7' }).where('kid', '=', kid).execute()
  await dynamic.update(caller(), { kid: dynamic_kid, name: newKid(), where: named('kiosk') })
  expect((await profiles.useAffected(caller(), use)).items.map((one) => one.kid)).toEqual([kid])
  expect(await looked()).toBe('dynamic.example')
  await f.deps.db.updateTable('terminal').set({ name: 'Desk 7' }).where('kid', '=', kid).execute()
  expect(await looked()).toBeUndefined()
  await f.deps.db.updateTable('terminal').set({ name: 'Kiosk 7' }).where('kid', '=', kid).execute()
  expect(await looked()).toBe('dynamic.example')
  await dynamic.remove(caller(), dynamic_kid)
  expect(await looked()).toBeUndefined()
})

it('is kept to its account, is everybody’s in it, and stays while it is used', async () => {
  const profile_kid = await newProfile('kept.example')
  const seen = await newGroup()
  const other = await newGroup()
  await profiles.addUse(caller(), { profile_kid, terminal_group_kid: seen, position: 1 })
  await profiles.addUse(caller(), { profile_kid, terminal_group_kid: other, position: 2 })
  const limited = caller([seen])
  expect((await profiles.listUses(limited, profile_kid)).map((use) => use.terminal_group_kid)).toEqual([seen])
  expect((await profiles.get(limited, profile_kid)).uses).toBe(1)
  expect(await refusalOf(edits.save(limited, { ...profile(profile_kid), ...ntp('mine.example') }))).toBe(
    'no_permission',
  )
  expect(await refusalOf(profiles.removeUse(limited, { profile_kid, terminal_group_kid: seen }))).toBe('no_permission')
  const stranger = { ...testActor(f.deps, newKid()), may: () => true }
  expect(await refusalOf(profiles.get(stranger, profile_kid))).toBe('not_found')
  expect(await refusalOf(edits.save(stranger, { ...profile(profile_kid), ...ntp('theirs.example') }))).toBe('not_found')
  expect(await refusalOf(profiles.addUse(stranger, { profile_kid, terminal_group_kid: seen, position: 1 }))).toBe(
    'not_found',
  )
  expect(await refusalOf(profiles.remove(caller(), profile_kid))).toBe('delete_failed')
  await profiles.removeUse(caller(), { profile_kid, terminal_group_kid: seen })
  await profiles.removeUse(caller(), { profile_kid, terminal_group_kid: other })
  await profiles.remove(caller(), profile_kid)
  expect(await refusalOf(profiles.get(caller(), profile_kid))).toBe('not_found')
})

it('says which devices a kiosk of a profile would take hold of, and which it would give back to another', async () => {
  const [, , kid] = f.kids as [string, string, string]
  const at = await newGroup()
  await move(kid, at)
  const profile_kid = await newProfile('kiosk.example')
  const kiosk = { mode: 'one_app' as const, apps: ['com.example.kiosk'], exit_password: '' }
  const use = { profile_kid, terminal_group_kid: at }
  expect(await profiles.hitByUse(caller(), use)).toEqual({ devices: 0, is_lasting: false })
  await edits.save(caller(), { ...profile(profile_kid), kiosk } as never)
  expect(await profiles.hitByUse(caller(), use)).toEqual({ devices: 1, is_lasting: true })
  expect(await profiles.hitByEnd(caller(), use)).toEqual({ devices: 0, is_lasting: false })
  await edits.save(caller(), { ...group(at), kiosk: { ...kiosk, apps: ['com.example.other'] } } as never)
  expect(await profiles.hitByEnd(caller(), use)).toEqual({ devices: 1, is_lasting: true })
})
