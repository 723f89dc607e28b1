import { contract, errors, webhookEvents } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetSessions } from '../../../http/session-cache.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { addApp } from '../../../testing/apps.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { insert as insertGroup } from '../../fleet/terminal-group/index.ts'

const { pushTask, appRequirement, osCustom, webhook } = contract

let o: TestApi
let limited: Awaited<ReturnType<TestApi['person']>>
let mine: string
let other: string
beforeAll(async () => {
  o = await testApi()
  const group = async (name: string) =>
    (await insertGroup(testActor(o.deps, o.acme.kid), { name, parent_kid: 'ROOT' })).kid
  mine = await group('Mine')
  other = await group('Other')
  limited = await o.person(3, o.acme.kid, 'limited', ['*'])
  await o.deps.db
    .insertInto('terminal_group_user_manged')
    .values({ account_kid: o.acme.kid, user_kid: limited.kid, terminal_group_kid: mine })
    .execute()
})
afterAll(() => o.close())

it('who is limited to groups does not say from how many devices on a second person approves', async () => {
  const save = () => o.call(pushTask.calls.save_setting, { approval_from: null }, limited)
  expect((await save()).result).toBe(errors.no_permission.result)
  const confirmed_at = o.deps.clock.now()
  await o.deps.db.updateTable('session').set({ confirmed_at }).where('user_kid', '=', limited.kid).execute()
  forgetSessions(o.deps)
  expect((await save()).result).toBe(errors.no_permission.result)
})

it('who is limited to groups has no webhook tell of all devices, and reads nothing that one told', async () => {
  const hook = { name: 'All', url: 'https://192.0.2.1/', events: webhookEvents, is_enabled: true }
  const refused = errors.no_permission.result
  expect((await o.call(webhook.calls.insert, hook as never, limited)).result).toBe(refused)
  expect((await o.call(webhook.calls.list, {}, limited)).data).toEqual([])
  const input = { page: 1, page_size: 10, webhook_kid: newKid() }
  expect((await o.call(webhook.calls.paging_delivery, input as never, limited)).result).toBe(refused)
})

it('who is limited to groups requires apps of no other group, and is not told what that is called', async () => {
  const of = { account_kid: o.acme.kid, package: 'com.acme.scan', version_name: '1.0', version_code: 1 }
  const app_kid = await addApp(o.deps, of)
  const require = (terminal_group_kid: string) =>
    o.call(appRequirement.calls.insert, { app_kid, terminal_group_kid } as never, limited)
  expect((await require(other)).result).toBe(errors.group_unknown.result)
  expect((await require(newKid())).result).toBe(errors.group_unknown.result)
  expect((await require(mine)).data).toMatchObject({ group_name: 'Mine' })
})

it('who is limited to groups chooses for a custom OS from configurations of these, and of the account', async () => {
  const now = o.deps.clock.now()
  const row = (ltscope: 20 | 30, terminal_group_kid: string | null) => ({
    ...{ kid: newKid(), account_kid: o.acme.kid, type: 1, ltscope, terminal_group_kid, section_count: 1 },
    ...{ created_at: now, updated_at: now, updated_by_kid: newKid(), updated_by: 'Ann' },
  })
  await o.deps.db
    .insertInto('configuration')
    .values([row(20, null), row(30, mine), row(30, other)])
    .execute()
  const { data } = await o.call(osCustom.calls.list_configuration, {}, limited)
  expect(data.map(({ terminal_group_name }) => terminal_group_name)).toEqual([null, 'Mine'])
})
