import { models } from '@mdm/agent/body/simulated-models.ts'
import { startFleet } from '@mdm/agent/fleet.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { expect, test } from 'vitest'
import { addBaseVersion } from './demo-os.ts'
import { confirmPasswords } from './sweeps/stage.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

const devices = 200

/** A custom OS of a model, built and released by the customer. */
async function released(w: World, uid_kid: string, uid: string, model: string) {
  const { operator } = w
  const customer = w.customers[0]!
  const base_kid = await addBaseVersion(operator, { uid_kid, uid, model, version: '99.0.1' })
  const upload_kid = await uploadFile(customer, 'a.txt', Buffer.from(model))
  const { kid: file_kid } = await customer.fileCloud.insert({ upload_kid, name: `${model}.txt` })
  const draft = { name: `For ${model}`, base_kid, files: [{ file_kid, path: '/data' }] }
  const { kid } = await customer.osCustom.insert(draft)
  const { build_kid } = await customer.osCustom.recustomise({ kid })
  const { os_version_kid } = await until(
    `the OS of ${model} to be built`,
    async () => {
      const build = await customer.osCustom.get_build({ kid: build_kid })
      if (build.state === 'failed') throw new Error(build.fault ?? '')
      return build.state === 'completed' ? build : undefined
    },
    300,
  )
  await customer.osCustom.release_build({ kid: build_kid })
  const { uid_code } = await customer.osCustom.get({ kid })
  return { os_version_kid: os_version_kid!, uid_code }
}

test(
  'custom OS of a customer, built, released and pushed to 200 devices: each runs it and says so',
  async () => {
    await using w = await world()
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
      seed: 11,
      ramp: 50,
      register: async ({ sn, registration_code }) =>
        void (await customer.terminal.manual_registered({ sn, registration_code, terminal_group_kid: 'NO_GROUP' })),
      faults: () => ({}),
    })
    try {
      await fleet.online(devices)
      const before = new Map<string, string>()
      for (const { sn, body } of fleet.devices) before.set(sn, (await body.os!.build()).uid)
      const uids = [...new Set(before.values())]
      const kids = new Map<string, string>()
      for (const uid of new Set([...uids, ...models.map((model) => model.uid)])) kids.set(uid, await addUid(deps, uid))
      /** By the UID that devices had. */
      const custom = new Map<string, { os_version_kid: string; uid_code: string }>()
      for (const [at, uid] of uids.entries()) custom.set(uid, await released(w, kids.get(uid)!, uid, `m${at}`))
      const tasks: string[] = []
      for (const { os_version_kid } of custom.values()) {
        await confirmPasswords(w)
        tasks.push((await customer.pushTask.insert({ type: 'os', payload: { os_version_kid }, match: {} })).kid)
      }
      await deps.db
        .updateTable('push_task')
        .set({ start_at: deps.clock.now() })
        .where('kid', 'in', tasks)
        .where('phase', '=', 'planned')
        .execute()
      await until(
        'every device to be done',
        async () =>
          (await Promise.all(tasks.map((kid) => customer.pushTask.get({ kid })))).every((t) => t.phase === 'ended'),
        10 * 60,
      )
      const rows = await deps.db
        .selectFrom('terminal')
        .select(['sn', 'uid', 'os_version', 'ver'])
        .where('account_kid', '=', account_kid)
        .execute()
      const said = new Map(rows.map(({ sn, ...build }) => [sn, build]))
      const strange = []
      for (const { sn, body } of fleet.devices) {
        const runs = await body.os!.build()
        const { uid_code } = custom.get(before.get(sn)!)!
        const is_right = [runs, said.get(sn)!].every(
          (one) => one.uid === uid_code && one.os_version === '99.0.1_CD01' && one.ver === 1,
        )
        if (!is_right) strange.push({ sn, runs, says: said.get(sn) })
      }
      expect([fleet.devices.length, strange]).toEqual([devices, []])
      // Nobody else is offered any of it.
      expect((await w.customers[1]!.osVersion.list({})).items).toEqual([])
    } finally {
      await fleet.stop()
    }
  },
  20 * 60_000,
)
