import { ltscopes } from '@mdm/contract'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { databases } from '../../../testing/devices.ts'
import { fleet } from '../../../testing/fleet.ts'
import type { Fleet } from '../../../testing/fleet.ts'
import * as fences from '../electronic-fence/index.ts'
import * as tasks from '../../push/push-task/index.ts'
import { save } from './save.ts'
import { changePaging } from './history.ts'
import { abort } from './staged-kind.ts'

/** More than one transaction takes, by few. */
const devices = 4_010

describe.each(databases)('what is set for thousands of devices, on %s', (kind) => {
  let f: Fleet
  beforeEach(async () => {
    f = await fleet(devices, {}, kind)
    // As registering leaves devices.
    await sql`INSERT INTO terminal_state (terminal_kid, account_kid) SELECT kid, account_kid FROM terminal`.execute(
      f.deps.db,
    )
  })
  afterEach(() => f?.close())

  const caller = () => ({ ...testActor(f.deps, f.account_kid), may: () => true })
  const account = { ltscope: ltscopes.account }
  const ntp = (server: string) => ({ ntp: { server, every_hours: 4 } })
  const newest = async () => (await changePaging(caller(), { page: 1, page_size: 10, ...account })).items[0]!
  const due = async () => {
    const { db } = f.deps
    const count = db.selectFrom('terminal_config_delivery').where('is_dirty', '=', true)
    return Number((await count.select((eb) => eb.fn.countAll().as('n')).executeTakeFirstOrThrow()).n)
  }

  it('is owed to the first of them in the call, and to the others behind it', async () => {
    await save(caller(), { ...account, ...ntp('ntp.example') })
    expect(await due()).toBeGreaterThanOrEqual(2_000)
    await backgroundAtRest(f.deps)
    expect((await newest()).progress).toMatchObject({ devices, waiting: devices, superseded: 0, is_queuing: false })
  })

  it('goes to the newer of two changes, whichever of them is owed longer', async () => {
    await save(caller(), { ...account, ...ntp('a.example') })
    await save(caller(), { ...account, ...ntp('b.example') })
    await backgroundAtRest(f.deps)
    expect((await newest()).progress).toMatchObject({ devices, waiting: devices, superseded: 0 })
  })

  it('waits as one push for a second person, and goes back for all of them', async () => {
    const kiosk = { mode: 'one_app' as const, apps: ['com.example.scan'], exit_password: '' }
    await save(caller(), { ...account, kiosk }, true)
    const { kid, push_task_kid } = await newest()
    // Its devices are found in the background, which may have done so by now.
    expect(['creating', 'awaiting_approval']).toContain((await tasks.get(caller(), push_task_kid!)).phase)
    await backgroundAtRest(f.deps)
    expect(await tasks.get(caller(), push_task_kid!)).toMatchObject({
      phase: 'awaiting_approval',
      target_count: devices,
    })
    await abort(caller(), kid)
    await backgroundAtRest(f.deps)
    expect(await newest()).toMatchObject({
      act: 'revert',
      is_in_steps: false,
      progress: { devices, is_queuing: false },
    })
  })

  it('is a fence for each of them, and none any more once it is deleted', async () => {
    const circle = { longitude: 105, latitude: 21, radius: 500, duration: 30, is_on: true, is_locking: false }
    const draft = { ...circle, name: newKid(), accuracy: 1, alarm_seconds: null, shape: 0 } as never
    const { kid } = await fences.insert(caller(), draft)
    await fences.savePlaces(caller(), { fence_kid: kid, places: [account] })
    const watched = async () => {
      wake(f.deps, fences.fencesDue)
      await backgroundAtRest(f.deps)
      return (await f.deps.db.selectFrom('terminal_fence').select('terminal_kid').execute()).length
    }
    await backgroundAtRest(f.deps)
    expect(await watched()).toBe(devices)
    await fences.remove(caller(), kid)
    await backgroundAtRest(f.deps)
    expect(await watched()).toBe(0)
  })
})
