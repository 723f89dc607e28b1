import { contract } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actorOf } from '../../../../actor.ts'
import { addUser } from '../../../../testing/devices.ts'
import { fleet } from '../../../../testing/fleet.ts'
import type { Fleet } from '../../../../testing/fleet.ts'
import * as tasks from '../index.ts'

const devices = 10_000
const steps = [{ percent: 1 }, { percent: 10 }, { percent: 50 }]
let f: Fleet
let who: Parameters<typeof tasks.insert>[0]
beforeAll(async () => {
  f = await fleet(devices)
  who = actorOf(f.deps, {
    account_kid: f.account_kid,
    group_kids: undefined,
    user_kid: await addUser(f.deps, f.account_kid),
    name: 'Ann',
    token_kid: null,
  })
})
afterAll(() => f.close())

/** Of each 100 devices, before enough of a step have succeeded for the next one to begin. */
const failing = 3

it.each([
  { error_percent: 2, stops_in: 1 },
  { error_percent: 3, stops_in: 1 },
  { error_percent: 4, stops_in: undefined },
])(
  'a rollout to 10,000 devices of which 3 % fail stops at $error_percent % in step $stops_in, and nowhere else',
  async ({ error_percent, stops_in }) => {
    const { kid } = await tasks.insert(
      who,
      contract.pushTask.calls.insert.input.parse({
        type: 'message',
        payload: { title: 'Hi', text: 'there' },
        match: {},
        rollout: { steps, success_percent: 90, error_percent },
      }),
    )
    const now = () => tasks.get(who, kid)
    const until = (wanted: object) => expect.poll(now, { interval: 20 }).toMatchObject(wanted)
    await until({ phase: 'running', step: 1, target_count: devices })
    const sizes = [100, 900, 4_000, 5_000]
    for (const [at, size] of sizes.entries()) {
      const step = at + 1
      await until({ step })
      const rows = await f.deps.db
        .selectFrom('push_task_terminal')
        .select('terminal_kid')
        .where('push_task_kid', '=', kid)
        .where('step', '=', step)
        .execute()
      expect(rows).toHaveLength(size)
      const say = (n: number, state: 'failed' | 'completed') =>
        f.say(rows[n]!.terminal_kid, 'task', { task_kid: kid, attempt: 1, state })
      let failed = 0
      for (let from = 0; from < size; from += 100) {
        for (let n = from; n < from + failing; n++) {
          await say(n, 'failed')
          failed += 1
          if (failed * 100 < error_percent * size) continue
          await until({ phase: 'paused', paused_because: 'errors', step: stops_in, counts: { failed } })
          expect(step).toBe(stops_in)
          // Nobody of a later step was sent anything.
          const later = await f.deps.db
            .selectFrom('push_task_terminal')
            .select('terminal_kid')
            .where('push_task_kid', '=', kid)
            .where('step', '>', step)
            .where('send_at', 'is not', null)
            .execute()
          expect(later).toEqual([])
          return
        }
        await Promise.all(Array.from({ length: 100 - failing }, (_, n) => say(from + failing + n, 'completed')))
      }
    }
    expect(stops_in).toBeUndefined()
    await until({ phase: 'ended', effect: 1, counts: { failed: devices * 0.03 } })
  },
)
