import { contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { databases } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { pusher } from '../../../testing/push-tasks.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { moveGroup } from '../../devices/terminal/index.ts'
import { keepRetry } from './moves/retries.ts'
import * as tasks from './index.ts'

describe.each(databases)('figures of a push for who is limited to groups, %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(8, {}, kind)))
  afterAll(() => f.close())

  it('are of the devices there, in the list, on the page and by step', async () => {
    const whole = pusher(f.deps, f.account_kid)
    const { kid: group } = await groups.insert(whole, { name: newKid(), parent_kid: 'ROOT' })
    const mine = f.kids.slice(0, 2)
    await moveGroup(whole, { terminal_kids: mine, terminal_group_kid: group })
    const message = { type: 'message', payload: { title: 'Hi', text: 'there' }, terminal_kids: f.kids }
    const { kid } = await tasks.insert(whole, contract.pushTask.calls.insert.input.parse(message))
    await tasks.cancel(whole, { push_task_kid: kid, terminal_kid: mine[0]! })
    for (const terminal_kid of f.kids.slice(2)) await tasks.cancel(whole, { push_task_kid: kid, terminal_kid })
    const limited = testActor(f.deps, f.account_kid, [group])
    const [all, part] = [
      { canceled: 7, total: 8 },
      { canceled: 1, total: 2 },
    ]
    expect(await tasks.get(whole, kid)).toMatchObject({ counts: all, target_count: 8 })
    expect(await tasks.get(limited, kid)).toMatchObject({ counts: { ...part, wait_receipt: 1 }, target_count: 2 })
    const { items } = await tasks.paging(limited, { page: 1, page_size: 10 })
    expect(items).toMatchObject([{ kid, counts: part, target_count: 2, left_out: 0 }])
    expect(await tasks.detail(limited, kid)).toMatchObject({ counts: part, left_out_counts: [], failures: [] })

    // Of a retry that somebody else has planned for all of them.
    const asked_at = f.deps.clock.now()
    const at = new Date(asked_at.getTime() + 3_600_000)
    await keepRetry(f.deps.db, whole, { push_task_kid: kid }, { asked_at, at, devices: 7 })
    expect(await tasks.get(whole, kid)).toMatchObject({ retry: { devices: 7, left: 7 } })
    expect(await tasks.get(limited, kid)).toMatchObject({ retry: { devices: 2, left: 1 } })
    await f.deps.db.updateTable('push_task').set({ frozen_count: 8 }).where('kid', '=', kid).execute()
    expect(await tasks.get(limited, kid)).toMatchObject({ frozen_count: null })
  })
})
