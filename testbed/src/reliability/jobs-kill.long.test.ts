import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { postgres_missing } from '@mdm/server/testing/postgres.ts'
import { startSmtp } from '@mdm/server/testing/smtp.ts'
import { startReceiver } from '@mdm/server/testing/webhook-receiver.ts'
import { zipOf } from '@mdm/server/testing/zip.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caller } from '../caller.ts'
import type { Caller } from '../caller.ts'
import { addUidOf } from '../demo-os.ts'
import { until } from '../until.ts'
import { uploadFile } from '../upload.ts'
import type { Killable } from './killable.ts'
import { withTwo } from './one-bucket.ts'
import type { TwoServers } from './one-bucket.ts'

const title = `jobs of two servers${postgres_missing ? ' (skipped: PostgreSQL is not installed)' : ''}`
/** So many that a sheet of them, and the export, are under way for a while. */
const devices = 20_000
const code = 'ABC234'
const sns = Array.from({ length: devices }, (_, n) => `JOB-${String(n).padStart(5, '0')}`)
/** A server is believed gone after 9 s of silence, and work is looked for every 20 s at the latest. */
const patience_s = 60
/** Not through their common address: it leads to the killed one, too. */
const at = (server: Killable, who: 'customer' | 'operator' = 'customer'): Caller =>
  caller(`http://127.0.0.1:${server.port}`, server[who].identity)
const uid = 'NM11602S1E0ENGEN0001'

describe.runIf(!postgres_missing)(title, () => {
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  /** Mails of which the first was held back: addresses, in the order in which they came. */
  const mailed: string[] = []
  beforeAll(async () => {
    receiver = await startReceiver()
    smtp = await startSmtp({
      // The first is never taken: the server that sends it waits until it is killed.
      beforeData: (address) => (mailed.push(address) > 1 ? Promise.resolve() : new Promise(() => undefined)),
    })
  })
  afterAll(async () => {
    await receiver?.close()
    await smtp?.close()
  })

  test(
    'what the one has begun and is killed over, the other does to the end, once',
    () =>
      withTwo(
        {
          MDM_WEBHOOK_ALLOW: '127.0.0.1',
          MDM_SMTP_URL: smtp.settings.url,
          MDM_SMTP_FROM: smtp.settings.from,
        },
        async (servers) => {
          const db = new pg.Client(servers.database_url)
          await db.connect()
          const all = { ...servers, db }
          try {
            await sheet(all)
            await deviceExport(all)
            await webhookMessage(all)
            await mail(all)
            await osPackages(all)
          } finally {
            await db.end()
          }
        },
      ),
    8 * 60_000,
  )

  type All = TwoServers & { db: pg.Client }

  /** Kills the server that works on the row, does the rest with the other, and starts the killed one again. */
  async function killWorker(
    { a, b, db }: All,
    table: string,
    kid: string,
    isOver: (other: Killable) => Promise<unknown>,
  ): Promise<void> {
    const worker = async () => {
      const { rows } = await db.query<{ url: string }>(
        `SELECT n.url FROM ${table} r JOIN node n ON n.kid = r.worked_by WHERE r.kid = $1`,
        [kid],
      )
      return rows[0]?.url
    }
    const url = await until('a server to work on it', worker)
    const [works, other] = url.endsWith(`:${a.port}`) ? [a, b] : [b, a]
    expect(url).toBe(`http://127.0.0.1:${works.port}`)
    await works.kill()
    const killed_at = performance.now()
    expect(await worker(), 'it was still at work').toBe(url)
    await until(`the other to end ${table}`, () => isOver(other), patience_s)
    console.log(`${table}: over ${((performance.now() - killed_at) / 1000).toFixed(1)} s after the kill`)
    await works.killAndRestart()
  }

  /** A sheet has no owner for longer than a transaction: each of the two is killed once while rows are registered. */
  async function sheet({ a, b, db }: All): Promise<void> {
    await db.query('UPDATE account SET terminal_max = terminal_max + $1 WHERE type = 1', [devices])
    await db.query(
      `INSERT INTO announcement (sn, claim_hash, registration_code, device, address, announced_at, expires_at)
       SELECT sn, decode(md5(sn) || md5(sn), 'hex'), $2,
         '{"model":"M1","os_name":"Linux","os_version":"6","service_version":"1","protocol_version":1}', '10.0.0.1', now(),
         now() + interval '7 days'
       FROM unnest($1::text[]) sn`,
      [sns, code],
    )
    const schedule_version = randomUUID()
    const terminalDtos = sns.map((sn) => ({ sn, work_order: 'WO-1', verification_code: code }))
    // It answers when all rows are done: whoever waits at a server that is killed looks after the job himself.
    const answer = fetch(`http://127.0.0.1:${a.port}/api/terminal/batch_registered`, {
      method: 'POST',
      headers: { authorization: `Bearer ${a.customer.identity.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ terminalDtos, schedule_version }),
    })
      .then((reply) => reply.arrayBuffer())
      .then(
        () => 'whole',
        () => 'cut off',
      )
    const jobAt = (server: Killable) =>
      at(server).terminalBatch.get_batch_registered_schedule({
        schedule_version,
      })
    let done = 0
    for (const [dies, stays] of [
      [a, b],
      [b, a],
    ] as const) {
      const more = done + devices / 10
      await until('rows to be registered', async () => {
        const job = await jobAt(stays).catch(() => undefined)
        done = job?.done ?? done
        return done >= more
      })
      expect(done).toBeLessThan(devices)
      await dies.kill()
      const killed_at = performance.now()
      const before = (await jobAt(stays)).done
      await until('the other to go on', async () => (await jobAt(stays)).done > before, patience_s)
      console.log(`batch_job: goes on ${((performance.now() - killed_at) / 1000).toFixed(1)} s after the kill`)
      await dies.killAndRestart()
    }
    expect(await answer).toBe('cut off')
    const job = await until('all rows to be registered', async () => {
      const now = await jobAt(b)
      return now.state !== 'running' && now
    })
    expect(job).toMatchObject({ state: 'done', total: devices, done: devices, ok: devices, failed: 0, already: 0 })
    const { rows } = await db.query<{ n: number }>(
      `SELECT count(DISTINCT sn)::int n FROM terminal WHERE sn LIKE 'JOB-%'`,
    )
    expect(rows[0]!.n).toBe(devices)
  }

  async function deviceExport(all: All): Promise<void> {
    const customer = at(all.a)
    const { schedule_version } = await customer.terminalExport.export({
      ...{ match: {}, format: 'xlsx', name: 'Devices', zone_id: 'UTC' },
      columns: ['sn', 'name', 'model', 'registered_at', 'os_version'].map((key) => ({ key, title: key })),
    })
    let found: { done: number; size: number | null } | undefined
    await killWorker(all, 'terminal_export', schedule_version, async (other) => {
      const jobs = await at(other).terminalExport.list_export_schedule({})
      const job = jobs.find((each) => each.schedule_version === schedule_version)!
      expect(['running', 'done']).toContain(job.state)
      found = job
      return job.state === 'done'
    })
    expect(found!.done).toBeGreaterThanOrEqual(devices)
    const { rows } = await all.db.query<{ attempt: number }>('SELECT attempt FROM terminal_export WHERE kid = $1', [
      schedule_version,
    ])
    // It was under way when its server was killed: the other began it anew.
    expect(rows[0]!.attempt).toBe(2)
    for (const { port, customer: one } of [all.a, all.b]) {
      const file = await fetch(
        `http://127.0.0.1:${port}/api/terminal/download_export?schedule_version=${schedule_version}`,
        { headers: { authorization: `Bearer ${one.identity.token}` } },
      )
      expect((await file.arrayBuffer()).byteLength).toBe(found!.size)
    }
  }

  async function webhookMessage(all: All): Promise<void> {
    const customer = at(all.a)
    const { kid: webhook_kid } = await customer.webhook.insert({
      ...{ name: 'Jobs', url: receiver.url, events: ['device.offline'], is_enabled: true },
    })
    // The first is never answered.
    receiver.answerWith((reply) => {
      if (receiver.received.length > 1) reply.writeHead(204).end()
    })
    const { delivery_kid } = await customer.webhook.ping({ kid: webhook_kid })
    await until('the message to be sent', () => receiver.received.length === 1)
    await killWorker(all, 'webhook_delivery', delivery_kid, async (other) => {
      const { items } = await at(other).webhook.paging_delivery({ webhook_kid })
      return items[0]!.state === 'delivered' && items[0]!.attempts === 2
    })
    // The receiver tells by its name that it is the same.
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      receiver.received[0]!.headers['webhook-id'],
      receiver.received[0]!.headers['webhook-id'],
    ])
  }

  async function mail(all: All): Promise<void> {
    const [role] = (await at(all.a).role.list({})).filter(({ can }) => can.includes('grant'))
    const address = 'invited@example.com'
    await at(all.a).userAccount.insert({
      ...{ username: 'invited', name: 'Invited', email: address, role_kids: [role!.kid] },
    })
    await until('the mail to be sent', () => mailed.length === 1)
    const { rows } = await all.db.query<{ kid: string }>('SELECT kid FROM mail WHERE address = $1', [address])
    const { kid } = rows[0]!
    await killWorker(all, 'mail', kid, async () => {
      const { rows: now } = await all.db.query<{ state: string }>('SELECT state FROM mail WHERE kid = $1', [kid])
      return now[0]!.state === 'sent'
    })
    expect(mailed).toEqual([address, address])
    expect(smtp.mails).toHaveLength(1)
  }

  /** One fetched from an address that gives half of it, then a difference from it. */
  async function osPackages(all: All): Promise<void> {
    const operator = at(all.a, 'operator')
    const uid_kid = await addUidOf(operator, uid, 'Jobs')
    const large = randomBytes(24 * 1024 ** 2)
    const packageOf = (end: string) =>
      zipOf([
        ['DOWNLOAD/system.img', large],
        ['DOWNLOAD/etc/end', end],
      ])
    const add = async (n: number) =>
      (await operator.opsOsVersion.insert({ uid_kid, os_version: `10.00.00${n}`, version_code: n, ver: n })).kid
    const older = await add(1)
    const bytes = await packageOf('older')
    let asked = 0
    receiver.answerWith((reply) => {
      asked += 1
      const headers = { 'content-length': bytes.length, etag: '"one"' }
      if (asked > 1) reply.writeHead(200, headers).end(bytes)
      else reply.writeHead(200, headers).write(bytes.subarray(0, bytes.length / 2))
    })
    const isReady = (version_kid: string) => async (other: Killable) => {
      const { packages } = await at(other, 'operator').opsOsVersion.get({ kid: version_kid })
      expect(packages.map(({ state }) => state)).not.toContain('failed')
      return packages.every(({ state }) => state === 'ready') && packages
    }
    const full = await operator.opsOsVersion.insert_package({
      ...{ os_version_kid: older, url: receiver.url, file_name: `${uid}.zip` },
    })
    await until('the package to be fetched', () => asked === 1)
    await killWorker(all, 'os_package', full.kid, isReady(older))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect((await at(all.b, 'operator').opsOsVersion.get({ kid: older })).packages).toMatchObject([{ sha256 }])

    const newer = await add(2)
    await operator.opsOsVersion.insert_package({
      ...{ os_version_kid: newer, upload_kid: await uploadFile(operator, `${uid}.zip`, await packageOf('newer')) },
    })
    await until('the newer package to be ready', () => isReady(newer)(all.a))
    const { kids } = await operator.opsOsVersion.make_differences({ os_version_kid: newer, from_kids: [older] })
    await killWorker(all, 'os_package', kids[0]!, isReady(newer))
    const { packages } = await at(all.b, 'operator').opsOsVersion.get({ kid: newer })
    expect(packages).toHaveLength(2)
  }
})
