import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from './config.ts'
import { renewCertificate } from './jobs/renew-certificate.ts'
import {
  certificateFault,
  challenge_row,
  challengeAnswers,
  issuedCertificate,
  writeSetting,
} from './lib/issued-certificate.ts'
import { realClock } from './lib/clock.ts'
import { checkCertificate } from './operate/doctor/this-machine.ts'
import { startServer } from './server.ts'
import type { RunningServer } from './server.ts'
import { placeDatabase } from './testing/database-template.ts'
import { freePort } from './testing/free-port.ts'
import { otherServer } from './testing/other-server.ts'
import { has_pebble, startPebble } from './testing/pebble.ts'

const title = has_pebble
  ? 'a certificate that an authority issues'
  : 'a certificate that an authority issues (skipped: the command pebble is not installed)'

describe.runIf(has_pebble)(title, () => {
  let data: string
  let authority: Awaited<ReturnType<typeof startPebble>>
  let server: RunningServer
  /** Of the server's own look for a renewed certificate, which is too slow to wait for. */
  const clock = { ...realClock, every: (ms: number, fn: () => void) => realClock.every(ms === 10_000 ? 200 : ms, fn) }

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'mdm-acme-'))
    await placeDatabase(join(data, 'db'))
    const redirect_port = await freePort()
    authority = await startPebble(redirect_port)
    server = await startServer(
      readConfig(
        {
          MDM_DATA: data,
          MDM_HTTP_PORT: '0',
          MDM_HTTP_HOST: '127.0.0.1',
          MDM_MQTT_PORT: '0',
          MDM_MQTT_HOST: '127.0.0.1',
          MDM_HTTPS_PORT: '0',
          MDM_MQTTS_PORT: '0',
          MDM_REDIRECT_PORT: String(redirect_port),
          MDM_PUBLIC_URL: 'https://localhost',
          MDM_ACME_DIRECTORY: authority.directory,
          MDM_ACME_CA: authority.ca,
          MDM_LOG_LEVEL: 'silent',
        },
        { env_file: join(data, 'none') },
      ),
      { clock },
    )
  })
  afterAll(async () => {
    await server?.close()
    await authority?.close()
    await rm(data, { recursive: true, force: true })
  })
  const config = () => server.deps.config

  /** As a browser that knows the authority. */
  const visit = () =>
    new Promise<{ status: number; hsts: string | undefined; serial: string }>((resolve, reject) => {
      get(
        {
          ...{ host: '127.0.0.1', servername: 'localhost', port: config().https_port },
          ...{ path: '/health/live', ca: authority.root, agent: false },
        },
        (answer) => {
          const serial = (answer.socket as TLSSocket).getPeerCertificate().serialNumber
          answer.resume()
          resolve({ status: answer.statusCode!, hsts: answer.headers['strict-transport-security'], serial })
        },
      ).on('error', reject)
    })

  test('comes by itself, for HTTPS and MQTT, and is renewed while the server runs', async () => {
    const first = await vi.waitFor(visit, { interval: 200 })
    expect(first).toMatchObject({ status: 200, hsts: expect.stringContaining('max-age=') })
    const shake = async (port: number) => {
      const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: authority.root })
      await once(socket, 'secureConnect')
      return socket
    }
    ;(await shake(config().mqtt.tls_port!)).destroy()
    const open = await shake(config().https_port!)

    // Nothing is asked for again before its time.
    await renewCertificate(server.deps)
    expect((await visit()).serial).toBe(first.serial)
    await endsIn(0)
    await renewCertificate(server.deps)
    const second = await vi.waitFor(
      async () => {
        const now = await visit()
        expect(now.serial).not.toBe(first.serial)
        return now
      },
      { interval: 200 },
    )
    expect(second.status).toBe(200)
    expect(open.destroyed).toBe(false)
    open.destroy()
    const kept = await server.deps.db.selectFrom('setting').selectAll().where('key', '=', 'certificate').execute()
    expect(JSON.stringify(kept)).not.toContain('PRIVATE KEY')
  })

  test('is that of all servers, and what the authority asks is answered by each', async () => {
    const other = await otherServer(server.deps)
    const found = await issuedCertificate(other, config().acme!)()
    expect(new X509Certificate(found!.cert).checkHost('localhost')).toBe('localhost')
    const answer = challengeAnswers(other)
    expect(await answer('A-token_0123456789')).toBe(undefined)
    await writeSetting(server.deps, challenge_row, { 'A-token_0123456789': 'A-token_0123456789.print' })
    expect(await answer('A-token_0123456789'), 'a look that came before it is no answer').toBe(
      'A-token_0123456789.print',
    )
    expect(await answer('toString')).toBe(undefined)
    const at = (path: string) =>
      fetch(`http://127.0.0.1:${config().redirect_port}${path}`, { redirect: 'manual', headers: { host: 'evil' } })
    await vi.waitFor(async () =>
      expect(await (await at('/.well-known/acme-challenge/A-token_0123456789')).text()).toBe(
        'A-token_0123456789.print',
      ),
    )
    expect((await at('/.well-known/acme-challenge/none-of-ours-0123')).status).toBe(404)
    const moved = await at('//device?sn=1')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, 'https://localhost//device?sn=1'])
    await other.die()
  })

  test('a try that failed is a metric until the next one', async () => {
    const metrics = async () => (await fetch(`http://127.0.0.1:${server.deps.config.http.port}/metrics`)).text()
    expect(await metrics()).toContain('mdm_certificate_fault 0')
    const { value } = await server.deps.db
      .selectFrom('setting')
      .select('value')
      .where('key', '=', 'certificate')
      .executeTakeFirstOrThrow()
    await writeSetting(server.deps, 'certificate', { ...value, last_error: 'rate limited' })
    expect(await metrics()).toContain('mdm_certificate_fault 1')
    await writeSetting(server.deps, 'certificate', { ...value })
  })

  test('one that does not come is told of, and not asked for again at once', async () => {
    const acme = { ...config().acme!, names: ['nobody.invalid'] }
    const elsewhere = { ...server.deps, config: { ...config(), acme } }
    await expect(renewCertificate(elsewhere)).rejects.toThrow(/nobody\.invalid/)
    const why = await certificateFault(elsewhere)
    expect(why).toContain('nobody.invalid')
    // It waits, whoever runs the job.
    await renewCertificate(elsewhere)
    expect(await issuedCertificate(elsewhere, acme)()).toBe(undefined)
    const state = { certificate_ends_at: null, certificate_fault: why } as never
    expect(await checkCertificate(elsewhere.config, state, new Date())).toMatchObject([
      { state: 'fault', says: expect.stringContaining('nobody.invalid'), advice: expect.stringContaining('port 80') },
    ])
  })

  async function endsIn(ms: number): Promise<void> {
    const row = await server.deps.db
      .selectFrom('setting')
      .select('value')
      .where('key', '=', 'certificate')
      .executeTakeFirstOrThrow()
    const value = JSON.stringify({ ...row.value, ends_at: new Date(Date.now() + ms).toISOString() })
    await server.deps.db.updateTable('setting').set({ value }).where('key', '=', 'certificate').execute()
  }
})
