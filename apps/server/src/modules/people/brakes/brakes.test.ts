import { constants, contract, errors, ltscopes } from '@mdm/contract'
import type { Call, ErrorName } from '@mdm/contract'
import { holdingSections } from '@mdm/contract/config/sections.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetSessions } from '../../../http/session-cache.ts'
import { newKid } from '../../../lib/ids.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { addIstageConfig } from '../../../testing/istage.ts'

const configs = contract.terminalConfig.calls
const fences = contract.electronicFence.calls
const groups = contract.terminalGroup.calls
const many = constants.password_from_devices

let o: TestApi
let who: Awaited<ReturnType<TestApi['person']>>
beforeAll(async () => {
  o = await testApi()
  await o.deps.db.updateTable('account').set({ terminal_max: 100_000 }).execute()
  who = await o.person(3, o.acme.kid, 'whoever', ['*'])
  await addIstageConfig(o.deps, o.acme.kid, staged_kid)
})
beforeEach(async () => {
  for (const table of ['destruction', 'terminal_config', 'electronic_fence'] as const)
    await o.deps.db.deleteFrom(table).execute()
  await o.deps.db.updateTable('configuration_change').set({ is_staged: false }).execute()
  await approvalFrom(null)
  await confirm(null)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const approvalFrom = (push_approval_from: number | null) =>
  o.deps.db.updateTable('account').set({ push_approval_from }).where('kid', '=', o.acme.kid).execute()
const confirm = async (confirmed_at: Date | null) => {
  await o.deps.db.updateTable('session').set({ confirmed_at }).where('user_kid', '=', who.kid).execute()
  forgetSessions(o.deps)
}
const send = (call: Call, input: object) => o.call(call, input as never, who)
/** What a call says at first, and once the password was typed. */
async function said(call: Call, input: object): Promise<string[]> {
  const name = ({ result }: { result: number }) =>
    result === 1 ? 'done' : Object.keys(errors).find((each) => errors[each as ErrorName].result === result)!
  const first = name(await send(call, input))
  if (first !== 'password_required') return [first]
  await confirm(o.deps.clock.now())
  const second = name(await send(call, input))
  await confirm(null)
  return [first, second]
}
const asks = ['password_required', 'done']
const refuses = ['password_required', 'second_person_needed']
const anHourLater = () => o.deps.clock.advance(3_600_001)
const account = { ltscope: ltscopes.account }
const at = (terminal_group_kid: string) => ({ ltscope: ltscopes.group, terminal_group_kid })
const group = async (parent_kid = 'ROOT') =>
  ((await send(groups.insert, { name: newKid(), parent_kid })).data as { kid: string }).kid
const add = (count: number, terminal_group_kid: string) =>
  Promise.all(
    Array.from({ length: count }, () => addTerminal(o.deps, o.acme.kid, { sn: newKid(), terminal_group_kid })),
  )
const sure = async (call: Call, input: object) => {
  await confirm(o.deps.clock.now())
  const reply = await send(call, input)
  await confirm(null)
  expect(reply).toMatchObject({ result: 1 })
  return reply.data
}
const kiosk = { kiosk: { mode: 'one_app', apps: ['com.example.scan'], exit_password: '' } }
const staged_kid = newKid()
const values: Record<string, object> = {
  kiosk: kiosk.kiosk,
  screen_lock: { password: '471147' },
  manage_password: { password: 'secret-2026' },
  proxy: { mode: 'manual', host: 'proxy.example', port: 3128, user: '', password: '', exceptions: '', pac_url: '' },
  app_lists: { whitelist: ['com.example.scan'], blacklist: [] },
  permission_policy: { preset: 'deny', exceptions: [] },
  wifi_profiles: { networks: [] },
  wifi_channels: { region: 'VN', channels_24: [1], channels_5: [36] },
  mobile_data: { data: 'off', roaming: 'off', apns: [] },
  server_address: { url: 'http://elsewhere.example:1' },
  istage: { config_kid: staged_kid, name: '', type: '', version: '', private_content: '' },
  certificates: { certificates: [] },
  url_lists: { whitelist: 'a.example', blacklist: '' },
  hardware: {
    ...{ usb: 'forbidden', bluetooth: 'forbidden', nfc: 'forbidden' },
    ...{ gps: 'forbidden', camera: 'forbidden', microphone: 'forbidden' },
  },
}

describe('a configuration that takes devices out of people’s hands asks for the password', () => {
  it.each(holdingSections)('%s of the account', async (section) => {
    const draft = { ...account, [section]: values[section] }
    expect(await said(configs.save, draft)).toEqual(asks)
    // What holds already takes hold of nobody.
    // A secret that is typed, and a content that is read, are compared when they are stored.
    if (!['screen_lock', 'manage_password', 'istage'].includes(section))
      expect(await said(configs.save, draft)).toEqual(['done'])
  })

  it('and what does not, or lets go, does not', async () => {
    const zone = { time_zone: { zone_id: 'Asia/Ho_Chi_Minh' } }
    expect(await said(configs.save, { ...account, ...zone })).toEqual(['done'])
    await sure(configs.save, { ...account, ...kiosk })
    expect(await said(configs.reset, { ...account, sections: ['kiosk'] })).toEqual(['done'])
  })

  it('by what it copies, goes back to, and by what is set above where it is reset', async () => {
    const [from, to] = [await group(), await group()]
    await sure(configs.save, { ...at(from), ...kiosk })
    expect(await said(configs.copy, { ...at(from), terminal_group_kids: [to] })).toEqual(asks)
    const { items } = (await send(configs.change_paging, at(from))).data as { items: { kid: string }[] }
    await sure(configs.reset, { ...at(from), sections: ['kiosk'] })
    expect(await said(configs.revert, { kid: items[0]!.kid })).toEqual(asks)
    await sure(configs.save, { ...account, app_lists: values['app_lists'] })
    await sure(configs.save, { ...at(from), app_lists: { whitelist: [], blacklist: [] } })
    expect(await said(configs.reset, { ...at(from), sections: ['app_lists'] })).toEqual(asks)
  })

  it('by what holds again for those that go back when steps are aborted, without a second person', async () => {
    const kid = await group()
    const kids = await add(many, kid)
    await sure(configs.save, { ...at(kid), app_lists: values['app_lists'] })
    const rollout = { steps: [{ count: many - 1 }] }
    await sure(configs.save, { ...at(kid), app_lists: { whitelist: [], blacklist: [] }, rollout })
    const change = await o.deps.db
      .selectFrom('configuration_change')
      .select(['kid', 'push_task_kid'])
      .where('is_staged', '=', true)
      .executeTakeFirstOrThrow()
    await o.deps.db.deleteFrom('push_task_terminal').where('push_task_kid', '=', change.push_task_kid!).execute()
    const now = o.deps.clock.now()
    const sent = kids.map((terminal_kid) => ({
      ...{ push_task_kid: change.push_task_kid!, terminal_kid, account_kid: o.acme.kid, sn: newKid() },
      ...{ type: 'configuration' as const, state_at: now, created_at: now, sent_at: now },
    }))
    await o.deps.db.insertInto('push_task_terminal').values(sent).execute()
    await approvalFrom(1)
    await o.deps.db.deleteFrom('destruction').execute()
    expect(await said(configs.abort, { kid: change.kid })).toEqual(asks)
  })
})

describe('what brings a farther setting into force asks for the password', () => {
  const held = async () => {
    const kid = await group()
    await sure(configs.save, { ...at(kid), server_address: values['server_address'] })
    return kid
  }
  const fence = async (more: object, ...places: object[]) => {
    const circle = { name: newKid(), longitude: 105, latitude: 21, radius: 500 }
    const { kid } = (await sure(fences.insert, { ...circle, ...more })) as { kid: string }
    await sure(fences.save_places, { fence_kid: kid, places })
    return kid
  }
  const locking = { is_locking: true, password: '4711' }

  it('many devices that are moved under another server address; a few do not', async () => {
    const [from, to] = [await group(), await held()]
    const kids = await add(many + 1, from)
    await anHourLater()
    const move = (terminal_kids: string[], terminal_group_kid: string) =>
      said(contract.terminal.calls.move_group_batch, { terminal_kids, terminal_group_kid })
    expect(await move(kids.slice(0, 1), to)).toEqual(['done'])
    expect(await move(kids.slice(1), await group())).toEqual(['done'])
    expect(await move(kids.slice(1), to)).toEqual(asks)
  })

  it('a group that is moved below it, and one whose own setting goes with it', async () => {
    const [kid, to] = [await group(), await held()]
    expect(await said(groups.move, { kid, target_parent_kid: await group() })).toEqual(['done'])
    expect(await said(groups.move, { kid, target_parent_kid: to })).toEqual(asks)
    const between = await group(to)
    await sure(configs.save, { ...at(between), server_address: { url: 'http://there.example:1' } })
    await group(between)
    expect(await said(groups.delete, { kid: between })).toEqual(asks)
    expect(await said(groups.delete, { kid: await group() })).toEqual(['done'])
  })

  it('a place that gives its fence up below one that locks', async () => {
    const kid = await group()
    await fence(locking, account)
    const mild = await fence({}, at(kid))
    expect(await said(fences.reset_places, { places: [at(kid)] })).toEqual(asks)
    await sure(fences.save_places, { fence_kid: mild, places: [at(kid)] })
    expect(await said(fences.delete, { kid: mild })).toEqual(asks)
    expect(await said(fences.reset_places, { places: [account] })).toEqual(['done'])
  })

  it('a group that is moved below a fence that locks', async () => {
    const [kid, to] = [await group(), await group()]
    await fence(locking, at(to))
    expect(await said(groups.move, { kid, target_parent_kid: to })).toEqual(asks)
  })
})

describe('above the limit of the account', () => {
  it('a configuration waits for a second person, with steps as well, counted over what one person did in an hour', async () => {
    const [few, more] = [await group(), await group()]
    await add(3, few)
    await add(4, more)
    await approvalFrom(6)
    const waits = async (call: Call, input: object) =>
      ((await sure(call, input)) as { waits_for_approval: boolean }).waits_for_approval
    expect(await waits(configs.save, { ...at(few), ...kiosk })).toBe(false)
    expect(await waits(configs.save, { ...at(more), time_zone: { zone_id: 'Asia/Tokyo' } })).toBe(false)
    expect(await waits(configs.save, { ...at(more), ...kiosk })).toBe(true)
    const asked = await o.deps.db
      .selectFrom('configuration_change as c')
      .innerJoin('push_task as k', 'k.kid', 'c.push_task_kid')
      .select(['c.is_staged', 'k.rollout'])
      .where('k.phase', '=', 'awaiting_approval')
      .executeTakeFirst()
    expect(asked).toMatchObject({ is_staged: true, rollout: { steps: [{ percent: 100 }] } })
    // What waits is not counted: a second person looks at it.
    expect(await waits(configs.copy, { ...at(few), terminal_group_kids: [await group()] })).toBe(false)
    await anHourLater()
    expect(await waits(configs.reset, { ...at(few), sections: ['kiosk'] })).toBe(false)
    const rollout = { steps: [{ count: 1 }] }
    await add(3, few)
    expect(await waits(configs.save, { ...at(few), ...kiosk, rollout })).toBe(true)
  })

  it('and pushes of the same person count with it, and it with them', async () => {
    const kid = await group()
    const kids = await add(6, kid)
    await approvalFrom(9)
    await sure(configs.save, { ...at(kid), ...kiosk })
    const push = { type: 'message', payload: { title: 'a', text: 'b' }, terminal_kids: kids.slice(0, 3) }
    expect(await sure(contract.pushTask.calls.insert, push)).toMatchObject({ phase: 'awaiting_approval' })
  })

  it('what cannot wait is refused', async () => {
    const [from, to] = [await group(), await group()]
    const kids = await add(3, from)
    await sure(configs.save, { ...at(to), ...kiosk })
    await approvalFrom(3)
    await anHourLater()
    const move = contract.terminal.calls.move_group_batch
    expect(await said(move, { terminal_kids: kids, terminal_group_kid: to })).toEqual(['second_person_needed'])
    expect(await said(groups.move, { kid: from, target_parent_kid: to })).toEqual(refuses)
    const circle = { name: newKid(), longitude: 105, latitude: 21, radius: 500, is_locking: true, password: '4711' }
    const fence = (await sure(fences.insert, circle)) as { kid: string }
    expect(await said(fences.save_places, { fence_kid: fence.kid, places: [at(from)] })).toEqual(refuses)
    expect(await said(move, { terminal_kids: kids.slice(1), terminal_group_kid: to })).toEqual(['done'])
    expect(await said(move, { terminal_kids: kids.slice(0, 1), terminal_group_kid: to })).toEqual([
      'second_person_needed',
    ])
  })
})
