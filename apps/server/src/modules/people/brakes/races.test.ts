import { constants, contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { addAccount, lockingDatabases, refusalOf } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { pusher } from '../../../testing/push-tasks.ts'
import { refuse } from '../../../refusal.ts'
import * as tasks from '../../push/push-task/index.ts'
import { brake } from './index.ts'

const at_once = 20
const left = 3

describe.each(lockingDatabases)('what an account does within an hour, %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(at_once, {}, kind)))
  afterAll(() => f.close())

  it('is not passed by pushes that come in the same moment', async () => {
    const now = f.deps.clock.now()
    const planned = {
      kid: newKid(),
      account_kid: f.account_kid,
      type: 'factory_reset',
      payload: '{}',
      description: '',
      summary: '',
      created_by_kid: newKid(),
      created_by: 'Someone',
      created_at: now,
      total: 0,
      wait_receipt: 0,
      phase: 'planned',
      start_at: new Date(now.getTime() + 86_400_000),
      target_count: constants.factory_reset_per_hour - left,
    } as const
    await f.deps.db.insertInto('push_task').values(planned).execute()
    const ann = pusher(f.deps, f.account_kid)
    const reset = (terminal_kid: string) => {
      const input = { type: 'factory_reset', payload: {}, terminal_kids: [terminal_kid] }
      return refusalOf(tasks.insert(ann, contract.pushTask.calls.insert.input.parse(input)))
    }
    const outcomes = await Promise.all(f.kids.map(reset))
    expect(outcomes.filter((name) => name === 'task_too_many_per_hour')).toHaveLength(at_once - left)
    const { target_count } = await f.deps.db
      .selectFrom('push_task')
      .select((eb) => eb.fn.sum<string>('target_count').as('target_count'))
      .executeTakeFirstOrThrow()
    expect(Number(target_count)).toBe(constants.factory_reset_per_hour)
  })

  it('is counted for that account alone', async () => {
    const { factory_reset_per_hour: max } = constants
    const allowed = async (account_kid: string) =>
      (await brake(pusher(f.deps, account_kid), { act: 'factory_reset', devices: max, or_fewer: true })).devices
    expect(await allowed(f.account_kid)).toBe(0)
    expect(await allowed(await addAccount(f.deps))).toBe(max)
  })

  it('asks all but the first for the password, and counts none of those that it refused', async () => {
    const ann = pusher(f.deps, f.account_kid)
    const lock = async (terminal_kid: string) => {
      const braking = { is_asked: false, undo: [], assertConfirmed: async () => refuse('password_required') }
      const input = { type: 'lock', payload: {}, terminal_kids: [terminal_kid] }
      return refusalOf(tasks.insert({ ...ann, braking }, contract.pushTask.calls.insert.input.parse(input)))
    }
    const outcomes = await Promise.all(f.kids.map(lock))
    const before = constants.password_from_devices - 1
    expect(outcomes.filter((name) => name === 'password_required')).toHaveLength(at_once - before)
    const counted = await f.deps.db.selectFrom('destruction').select(['devices', 'alone']).execute()
    expect(counted).toEqual(Array.from({ length: before }, () => ({ devices: 1, alone: 0 })))
  })
})
