import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { startFleet } from '@mdm/agent/fleet.ts'
import { postgres_missing } from '@mdm/server/testing/postgres.ts'
import { startS3 } from '@mdm/server/testing/s3.ts'
import { migratedPostgres } from '@mdm/server/testing/shared-postgres.ts'
import { describe, expect, test } from 'vitest'
import { caller } from '../caller.ts'
import type { Caller } from '../caller.ts'
import { cuttingProxy } from '@mdm/server/testing/cutting-proxy.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import { killableServer } from './killable.ts'
import { has_mosquitto, withMosquitto } from './push-kills.ts'

const lacking = [!has_mosquitto && 'mosquitto', postgres_missing && 'PostgreSQL'].filter(Boolean).join(' and ')
const devices = 30
const away_ms = 30_000

/** The same address by way of `port`. */
const by = (url: string, port: number): string => {
  const way = new URL(url)
  way.hostname = '127.0.0.1'
  way.port = String(port)
  return way.href
}

describe.runIf(!lacking)(
  `a server that the network cuts off${lacking && ` (skipped: ${lacking} is not installed)`}`,
  () => {
    test('for 30 s from database, broker and bucket in turn: the other one goes on, it comes back, nothing is lost', () =>
      withMosquitto(async (broker_url) => {
        const s3 = await startS3()
        const database_url = await migratedPostgres()
        const ways = {
          database: await cuttingProxy(database_url),
          broker: await cuttingProxy(broker_url),
          bucket: await cuttingProxy(s3.settings.url),
        }
        // Servers of one database have one bucket by one address: it is away from both.
        const settings = {
          MDM_DATA_SHARED: 'false',
          MDM_SECRET_KEY: '7'.repeat(64),
          MDM_PUBLIC_MQTT_URL: broker_url,
          MDM_S3_URL: by(s3.settings.url, ways.bucket.port),
          MDM_S3_ACCESS_KEY_ID: s3.settings.access_key_id,
          MDM_S3_SECRET_ACCESS_KEY: s3.settings.secret_access_key,
        }
        try {
          await using whole = await killableServer({ database_url, broker_url, settings })
          await using cut = await killableServer({
            database_url: by(database_url, ways.database.port),
            broker_url: by(broker_url, ways.broker.port),
            public_url: whole.url,
            settings,
          })
          const at = (port: number): Caller => caller(`http://127.0.0.1:${port}`, whole.customer.identity)
          const done = new Map<string, number>()
          const fleet = startFleet({
            server: whole.url,
            devices,
            seed: 5,
            ramp: 50,
            faults: () => ({}),
            reconnect: { base_ms: 50, cap_ms: 500 },
            register: async ({ sn, registration_code }) =>
              void (await at(whole.port).terminal.manual_registered({
                sn,
                registration_code,
                terminal_group_kid: 'NO_GROUP',
              })),
            on({ index }, event) {
              if (event.type !== 'report' || event.report.state !== 'executing') return
              const key = `${index} ${event.report.task_kid} ${event.report.attempt}`
              done.set(key, (done.get(key) ?? 0) + 1)
            },
          })
          const isReady = async () =>
            (await fetch(`http://127.0.0.1:${cut.port}/health/ready`, { signal: AbortSignal.timeout(5_000) })).ok
          const push = async (port: number, title: string) => {
            const { kid } = await at(port).pushTask.insert({
              type: 'message',
              payload: { title, text: 'x' },
              match: {},
            })
            return kid
          }
          const ends = (kid: string) =>
            until(
              'the push to end on all devices',
              async () => (await at(whole.port).pushTask.get({ kid })).counts.completed === devices,
              // What was asked or said into the share of the one that is away, which takes 15 s to notice it, comes again.
              60,
            )
          const keeps = async (port: number, name: string) => {
            const content = randomBytes(6 * 1024 ** 2)
            const upload_kid = await uploadFile(at(port), name, content)
            const { url } = await at(port).fileCloud.insert({ upload_kid, name })
            const read = Buffer.from(await (await fetch(`http://127.0.0.1:${port}${url}`)).arrayBuffer())
            const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
            expect(hash(read)).toBe(hash(content))
          }
          try {
            await fleet.online(devices)
            const kids: string[] = []
            for (const [name, way] of Object.entries(ways)) {
              kids.push(await push(cut.port, `Before ${name} is away`))
              way.silence()
              const back_at = Date.now() + away_ms
              await until(`it to say that the ${name} is away`, async () => !(await isReady().catch(() => false)))
              kids.push(await push(whole.port, `While ${name} is away`))
              if (name !== 'bucket') await keeps(whole.port, `${name}-away.bin`)
              await ends(kids.at(-1)!)
              await delay(Math.max(0, back_at - Date.now()))
              way.restore()
              await until('it to be ready again', () => isReady().catch(() => false))
              kids.push(await push(cut.port, `After ${name} was away`))
              await keeps(cut.port, `${name}-back.bin`)
            }
            for (const kid of kids) await ends(kid)
            expect([...done].filter(([, times]) => times > 1)).toEqual([])
            expect(done.size).toBe(kids.length * devices)
          } finally {
            await fleet.stop()
          }
        } finally {
          for (const way of Object.values(ways)) await way.close()
          await s3.close()
        }
      }))
  },
)
