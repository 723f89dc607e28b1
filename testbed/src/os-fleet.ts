import { randomBytes } from 'node:crypto'
import { models } from '@mdm/agent/body/simulated-models.ts'
import { startFleet } from '@mdm/agent/fleet.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { Refused } from './caller.ts'
import { releaseOs } from './os-release.ts'
import { confirmPasswords } from './sweeps/stage.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

export const new_version = { os_version: '99.0.1', version_code: 99, ver: 999 }

/** How a device of the fleet misbehaves: one in twenty fails mid-download, one in fifty does not come up. */
export const faultOf = (index: number): 'failing_midway' | 'no_start' | undefined =>
  index % 20 === 7 ? 'failing_midway' : index % 50 === 13 ? 'no_start' : undefined

/** Updates a fleet of many models: for each UID a release and a push to everybody. What became of each device. */
export async function updateFleet(w: World, devices: number, seconds: number) {
  const { deps } = w.server
  const customer = w.customers[0]!
  const { account_kid } = w.seed.customers[0]!
  await deps.db
    .updateTable('account')
    .set({ terminal_max: devices + 100 })
    .where('kid', '=', account_kid)
    .execute()
  const fleet = startFleet({
    server: w.url,
    devices,
    seed: 7,
    ramp: 100,
    register: async ({ sn, registration_code }) =>
      void (await customer.terminal.manual_registered({ sn, registration_code, terminal_group_kid: 'NO_GROUP' })),
    faults: (index) => {
      const fault = faultOf(index)
      return fault === undefined ? {} : { [fault]: 1, trial_ms: 500 }
    },
  })
  try {
    await fleet.online(devices)
    const before = new Map<string, string>()
    for (const { sn, body } of fleet.devices) before.set(sn, (await body.os!.build()).os_version)
    const uids = [...new Set(models.map(({ uid }) => uid))]
    const versions: string[] = []
    for (const uid of uids) {
      const uid_kid = await addUid(deps, uid)
      const content = randomBytes(60_000).toString('base64')
      versions.push(await releaseOs(w.operator, { uid_kid, uid, version: new_version, content }))
    }
    const tasks: string[] = []
    for (const os_version_kid of versions) {
      await confirmPasswords(w)
      const push = { type: 'os' as const, payload: { os_version_kid }, match: {} }
      const { kid } = await customer.pushTask.insert(push).catch((error: { result?: number }) => {
        // A small fleet has not every model.
        if (error.result === 43007) return { kid: '' }
        throw error
      })
      if (kid) tasks.push(kid)
    }
    // Many devices wait a minute, in which the push can be stopped.
    await deps.db
      .updateTable('push_task')
      .set({ start_at: deps.clock.now() })
      .where('kid', 'in', tasks)
      .where('phase', '=', 'planned')
      .execute()
    await until(
      'every device to be done',
      async () => {
        // A busy database refuses reads after some seconds: then they are asked for again.
        const rows = await Promise.all(tasks.map((kid) => customer.pushTask.get({ kid }))).catch((error: unknown) => {
          if (error instanceof Refused && error.status === 503) return undefined
          throw error
        })
        return rows?.every(({ phase }) => phase === 'ended')
      },
      seconds,
    )
    const rows = await deps.db
      .selectFrom('push_task_terminal as p')
      .innerJoin('terminal as t', 't.kid', 'p.terminal_kid')
      .select(['p.sn', 'p.state', 'p.code', 't.os_version'])
      .where('p.push_task_kid', 'in', tasks)
      .execute()
    const runs = new Map<string, string>()
    for (const { sn, body } of fleet.devices) runs.set(sn, (await body.os!.build()).os_version)
    return { rows, before, runs, index_of: new Map(fleet.devices.map(({ sn }, index) => [sn, index])) }
  } finally {
    await fleet.stop()
  }
}
