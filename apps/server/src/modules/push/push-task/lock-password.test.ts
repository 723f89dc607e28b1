import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import { databases, refusalOf } from '../../../testing/devices.ts'
import { pusher } from '../../../testing/push-tasks.ts'
import * as tasks from './index.ts'

/** Long enough to be found nowhere by chance. */
const password = '739105528461073'

describe.each(databases)('the password of a lock, %s', (kind) => {
  let f: Fleet
  beforeAll(async () => void (f = await fleet(3, {}, kind)))
  afterAll(() => f.close())
  const lock = (terminal_kids: string[], given?: string) =>
    tasks.insert(pusher(f.deps, f.account_kid), {
      terminal_kids,
      description: '',
      type: 'lock',
      payload: given === undefined ? {} : { password: given },
    })
  const payload = async (kid: string) =>
    (await f.deps.db.selectFrom('push_task').select('payload').where('kid', '=', kid).executeTakeFirstOrThrow()).payload
  const report = (kid: string, task_kid: string, state: string, attempt = 1) =>
    f.say(kid, 'task', { task_kid, attempt, state })
  const retry = (push_task_kid: string, terminal_kid?: string) => {
    return tasks.retry(pusher(f.deps, f.account_kid), { push_task_kid, terminal_kid })
  }

  it('reaches the device, is sealed meanwhile, and goes with the end of the task', async () => {
    const [a, b] = f.kids as [string, string]
    await f.connect(a)
    const { kid: task } = await lock([a, b], password)
    expect(Object.keys(await payload(task))).toEqual(['password_sealed'])
    await f.deps.clock.advance(1_000)
    const [sent] = f.edge.sent.filter(({ topic }) => topic.endsWith('/task'))
    expect(sent!.payload.payload).toEqual({ password })
    const stored = await f.deps.db.selectFrom('push_task').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(password)

    await report(a, task, 'failed')
    // The other device is still to be told, and so the first may be told again.
    expect(await retry(task, a)).toMatchObject({ retried: 1 })
    await report(a, task, 'completed', 2)
    await report(b, task, 'failed')
    expect(await payload(task)).toEqual({ is_password_dropped: true })
    expect(await refusalOf(retry(task))).toBe('task_password_gone')
    expect((await tasks.get(pusher(f.deps, f.account_kid), task)).counts).toMatchObject({ completed: 1, failed: 1 })
  })

  it('goes as well when its last device leaves; a lock without one can be tried again', async () => {
    const kid = f.kids[2]!
    const [secret, plain] = [await lock([kid], password), await lock([kid])]
    await report(kid, plain.kid, 'failed')
    expect(await retry(plain.kid)).toMatchObject({ retried: 1 })
    await f.deps.db.transaction().execute(async (trx) => void (await tasks.failTasksOfDevices(trx, f.deps, [kid])))
    expect(await payload(secret.kid)).toEqual({ is_password_dropped: true })
    expect(await payload(plain.kid)).toEqual({})
  })
})
