import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClock } from '@mdm/server/lib/clock.ts'
import { hasReserve } from '@mdm/server/lib/disk-reserve.ts'
import { ownProgramArgs } from '@mdm/server/lib/own-program.ts'
import { postgres_missing, startPostgres } from '@mdm/server/testing/postgres.ts'
import type { TestPostgres } from '@mdm/server/testing/postgres.ts'
import { contract } from '@mdm/contract'
import { afterAll, expect, test } from 'vitest'
import { signIn } from '../sign-in.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import { world } from '../world.ts'
import { cannot_mount, fill, smallDisk, unmountDisks, withFolders } from './small-disk.ts'

afterAll(unmountDisks)

const start = (data: string) =>
  spawnSync(
    process.execPath,
    ownProgramArgs(new URL('../../../apps/server/src/main.ts', import.meta.url).href, 'main'),
    {
      env: { ...process.env, MDM_DATA: data, MDM_HTTP_PORT: '0', MDM_MQTT_PORT: '0', MDM_LOG_LEVEL: 'error' },
      encoding: 'utf8',
      timeout: 60_000,
    },
  )

test.skipIf(process.platform !== 'linux')('a start in a folder that cannot be made says so and ends', () => {
  const { status, stderr } = start('/proc/mdm-cannot-be-made/data')
  expect(stderr).toMatch(/MDM_DATA: \/proc\/mdm-cannot-be-made\/data cannot be created/)
  expect(status).toBe(2)
})

test.skipIf(cannot_mount !== '')(`a start on a full disk says so and ends${cannot_mount}`, () => {
  for (const mib of [8, 40]) {
    const disk = smallDisk(mib)!
    const data = join(disk, 'data')
    mkdirSync(data, { mode: 0o700 })
    if (mib === 8) fill(disk)
    const { status, stderr } = start(data)
    expect(stderr).toContain(`MDM_DATA: the disk of ${data} is full`)
    expect(status).toBe(2)
  }
})

test.skipIf(cannot_mount !== '')(`R7: a disk that fills up and is emptied again${cannot_mount}`, async () => {
  const disk = smallDisk(280)!
  await using w = await withFolders(disk, () => world({ agents: 1 }))
  const [customer, device] = [w.customers[0]!, w.devices[0]!]
  const health = async () =>
    ((await (await fetch(`${w.url}/health`)).json()) as { data: { disk_full: boolean } | null }).data?.disk_full
  const keep = async (name: string, bytes: Buffer) =>
    (await customer.fileCloud.insert({ upload_kid: await uploadFile(customer, name, bytes), name })).kid
  const kept = await keep('kept.bin', Buffer.alloc(1_000_000, 7))
  const many = [await keep('one.bin', Buffer.alloc(1_000_000, 8)), await keep('two.bin', Buffer.alloc(1_000_000, 9))]
  await until('the reserve', () => hasReserve(w.server.deps.config.data))
  const empty = fill(disk)

  const insert = (name: string) => customer.try_(contract.terminalGroup.calls.insert, { name, parent_kid: 'ROOT' })
  for (let i = 0; i < 40; i += 1) {
    const began = performance.now()
    const { status, message } = await insert(`full ${i}`)
    expect([200, 503, 507]).toContain(status)
    expect(performance.now() - began).toBeLessThan(15_000)
    if (status === 507) expect(message).toContain('disk')
  }
  await until('health to tell', health)
  expect((await insert('one more')).status).toBe(507)
  await expect(uploadFile(customer, 'more.bin', Buffer.alloc(10_000))).rejects.toThrow()
  // What a device says now is not acknowledged.
  const stored = async () => (await customer.terminal.paging_event({ terminal_kid: device.kid })).total
  const before = await stored()

  const { status, data } = await signIn(w, w.seed.customers[0]!.root.username)
  expect([status, (data as { user_kid?: string }).user_kid]).toEqual([200, w.seed.customers[0]!.root.user_kid])
  expect((await customer.terminal.facets({})).total).toBe(1)
  const files = async () => (await customer.fileCloud.paging({})).items.map(({ kid }) => kid).toSorted()
  expect(await files()).toEqual([kept, ...many].toSorted())
  // Deleting is the way out, by whoever may: the provider's people enter the customer for it.
  const { calls } = contract.fileCloud
  expect(await customer.try_(calls.delete, { kid: kept })).toMatchObject({ status: 200 })
  expect(
    await w.operator.try_(contract.opsAccount.calls.enter, { kid: w.seed.customers[0]!.account_kid }),
  ).toMatchObject({
    status: 200,
  })
  expect(await customer.try_(calls.batch_delete, { kids: many })).toMatchObject({
    status: 200,
    data: { deleted: 2, kept: [] },
  })
  expect(await files()).toEqual([])

  empty()
  await until('room again', async () => (await insert('after')).status === 200)
  await until('health', async () => (await health()) === false)
  expect(await stored()).toBeGreaterThanOrEqual(before)
  const groups = (await customer.terminalGroup.list({})).map(({ name }) => name)
  expect(groups).toContain('after')
  expect(groups).not.toContain('one more')
})

const without_postgres = cannot_mount || (postgres_missing ? ` (skipped: ${postgres_missing})` : '')
test.skipIf(without_postgres !== '')(
  `a PostgreSQL whose own disk fills up, and is emptied again${without_postgres}`,
  async () => {
    const disk = smallDisk(300)!
    // What PostgreSQL could not do for want of room is logged elsewhere.
    const logs = mkdtempSync(join(tmpdir(), 'mdm-pg-log-'))
    chmodSync(logs, 0o777)
    const postgres: TestPostgres = await withFolders(disk, () =>
      startPostgres(['logging_collector=on', `log_directory=${logs}`, 'log_file_mode=0644']),
    )
    try {
      // The server looks for room every few seconds: what it waits for passes when the test says so.
      let skipped_ms = 0
      const clock = { ...realClock, elapsed: () => realClock.elapsed() + skipped_ms }
      const database_url = await postgres.createDatabase()
      await using w = await world({ agents: 1, database_url, overrides: { clock } })
      const { pool } = w.server.deps.database
      const customer = w.customers[0]!
      const health = async () =>
        ((await (await fetch(`${w.url}/health`)).json()) as { data: { disk_full: boolean } }).data.disk_full
      const reserve = async () => {
        const { rows } = await pool.query<{ is_there: boolean }>(
          `SELECT to_regclass('disk_reserve') IS NOT NULL AS is_there`,
        )
        return rows[0]!.is_there
      }
      /** How often the reserve could not be made. */
      const failures = () =>
        readdirSync(logs)
          .map(
            (name) =>
              readFileSync(join(logs, name), 'utf8').split(/STATEMENT:\s+(?:CREATE|INSERT)[^;]*?disk_/).length - 1,
          )
          .reduce((sum, count) => sum + count, 0)
      skipped_ms += 60_000
      await until('the reserve', reserve)
      const empty = fill(disk)

      const insert = (name: string) => customer.try_(contract.terminalGroup.calls.insert, { name, parent_kid: 'ROOT' })
      let refused = 0
      for (let i = 0; i < 400 && refused < 100; i += 1) {
        const began = performance.now()
        const { status, message } = await insert(`full ${i} ${'x'.repeat(40)}`)
        expect([200, 507]).toContain(status)
        expect(performance.now() - began).toBeLessThan(15_000)
        if (status === 507) refused += 1
        if (status === 507) expect(message).toContain('disk')
      }
      expect([refused, await health()]).toEqual([100, true])
      await until('the reserve to be given up', async () => !(await reserve()))

      const group = (await customer.terminalGroup.list({}))[0]!
      for (let i = 0; i < 5; i += 1) {
        const { status, data } = await signIn(w, w.seed.customers[0]!.root.username)
        expect([status, (data as { user_kid?: string }).user_kid]).toEqual([200, w.seed.customers[0]!.root.user_kid])
      }
      expect((await customer.terminal.facets({})).total).toBe(1)
      expect((await customer.try_(contract.terminalGroup.calls.delete, { kid: group.kid })).status).toBe(200)
      // The next look tries whether there is room: there is none.
      const before = failures()
      skipped_ms += 60_000
      await until('the next look', () => failures() > before)
      expect([await health(), (await insert('one more')).status]).toEqual([true, 507])
      expect((await signIn(w, w.seed.customers[0]!.root.username)).status).toBe(200)

      empty()
      skipped_ms += 60_000
      await until('room again', async () => (await insert('after')).status === 200)
      expect([await health(), await reserve()]).toEqual([false, true])
    } finally {
      await postgres.stop()
      rmSync(logs, { recursive: true, force: true })
    }
  },
)
