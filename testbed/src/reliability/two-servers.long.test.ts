import { startFleet } from '@mdm/agent/fleet.ts'
import { postgres_missing } from '@mdm/server/testing/postgres.ts'
import { migratedPostgres } from '@mdm/server/testing/shared-postgres.ts'
import { describe, expect, test } from 'vitest'
import { caller } from '../caller.ts'
import { until } from '../until.ts'
import { killableServer } from './killable.ts'
import { has_mosquitto, withMosquitto } from './push-kills.ts'
import { roundRobin } from './round-robin.ts'

const lacking = [!has_mosquitto && 'mosquitto', postgres_missing && 'PostgreSQL'].filter(Boolean).join(' and ')
const devices = 200

describe.runIf(!lacking)(`two servers${lacking && ` (skipped: ${lacking} is not installed)`}`, () => {
  test(
    'one that is killed in the middle of a push: it ends on all devices, and each did it once',
    () =>
      withMosquitto(async (broker_url) => {
        const proxy = await roundRobin()
        const of_both = { database_url: await migratedPostgres(), broker_url, public_url: proxy.url }
        await using stays = await killableServer(of_both)
        await using dies = await killableServer({ ...of_both, beside: stays })
        proxy.lead([stays, dies])
        const customer = caller(proxy.url, { token: stays.customer.identity.token! })
        const done = new Map<string, number>()
        const fleet = startFleet({
          server: proxy.url,
          devices,
          seed: 3,
          ramp: 50,
          faults: () => ({}),
          reconnect: { base_ms: 50, cap_ms: 500 },
          register: async ({ sn, registration_code }) =>
            void (await customer.terminal.manual_registered({ sn, registration_code, terminal_group_kid: 'NO_GROUP' })),
          on({ index }, event) {
            if (event.type !== 'report' || event.report.state !== 'executing') return
            const key = `${index} ${event.report.task_kid} ${event.report.attempt}`
            done.set(key, (done.get(key) ?? 0) + 1)
          },
        })
        try {
          await fleet.online(devices)
          const message = { type: 'message', payload: { title: 'One of two', text: 'is killed' }, match: {} } as const
          const { kid } = await customer.pushTask.insert(message)
          // A connection to the server that is killed ends with it.
          const completed = async () => (await customer.pushTask.get({ kid }).catch(() => undefined))?.counts.completed
          await until('some devices to be done', async () => ((await completed()) ?? 0) > 20)
          await dies.kill()
          // On a free machine after 10 s, of which the broker's messages for the dead server wait 9. On one that is busy a message may be
          // lost twice, and goes out for the third time after 155 s (`resendAfter`).
          await until('all devices to be done', async () => (await completed()) === devices, 400)
          expect([...done.values()].filter((times) => times > 1)).toEqual([])
        } finally {
          await fleet.stop()
          await proxy.close()
        }
      }),
    5 * 60_000,
  )
})
