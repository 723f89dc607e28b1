import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { startServer } from './server.ts'
import { placeDatabase } from './testing/database-template.ts'
import type { RunningServer } from './server.ts'

// Several starts of the whole server, each with two processes.

let data: string
const running: RunningServer[] = []
beforeEach(async () => void (data = await mkdtemp(join(tmpdir(), 'mdm-server-'))))
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
  await rm(data, { recursive: true, force: true })
})

const config = (more: Record<string, string> = {}) =>
  readConfig(
    {
      MDM_DATA: data,
      MDM_HTTP_PORT: '0',
      MDM_HTTP_HOST: '127.0.0.1',
      MDM_MQTT_PORT: '0',
      MDM_MQTT_HOST: '127.0.0.1',
      MDM_LOG_LEVEL: 'silent',
      ...more,
    },
    { env_file: join(data, 'none') },
  )
async function start(more: Record<string, string> = {}) {
  const server = await startServer(config(more))
  running.push(server)
  return server
}
const isListening = (url: string) =>
  new Promise<boolean>((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = dial(Number(port), hostname)
    socket.on('connect', () => (socket.destroy(), resolve(true))).on('error', () => resolve(false))
  })

test('the first start makes the operator and says the password once; the next finds all as it was', async () => {
  const first = await start()
  expect(first.first_password).toEqual({ username: 'admin', password: expect.stringMatching(/^.{6,18}$/) })
  expect((await fetch(`${first.url}/health`)).status).toBe(200)
  expect(await isListening(first.mqtt_url)).toBe(true)
  const { password_hash } = await first.deps.db
    .selectFrom('user_account')
    .select('password_hash')
    .executeTakeFirstOrThrow()
  expect([first.deps.password_cost, password_hash]).toEqual([undefined, expect.stringMatching(/^scrypt\$15\$8\$1\$/)])
  expect((await stat(data)).mode & 0o002).toBe(0)
  const address = first.deps.signFile('00000000-0000-7000-8000-000000000000', { name: 'x' })
  await first.close()
  await first.close()
  expect([await isListening(first.url), await isListening(first.mqtt_url)]).toEqual([false, false])

  const second = await start()
  expect(second.first_password).toBeUndefined()
  // Signed by the same key: unknown, not forged.
  expect((await fetch(second.url + address)).status).toBe(404)
})

test('closing lets a request in flight finish and takes no new one', async () => {
  await placeDatabase(join(data, 'db'))
  const server = await start()
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const began = new Promise<void>((resolve) => {
    const info = server.deps.objects.info
    server.deps.objects.info = async (key) => {
      resolve()
      await held
      return info(key)
    }
  })
  const address = server.deps.signFile('00000000-0000-7000-8000-000000000000', { name: 'x' })
  const inFlight = fetch(server.url + address)
  await began
  const closing = server.close()
  release()
  expect((await inFlight).status).toBe(404)
  await closing
  await expect(fetch(`${server.url}/health`)).rejects.toThrow()
})

test.runIf(process.platform === 'linux')(
  'a folder that cannot be made is told at once, and ends the start',
  async () => {
    for (const folder of ['/proc/mdm', '/proc/mdm/data'])
      await expect(start({ MDM_DATA: folder })).rejects.toThrow(`MDM_DATA: ${folder} cannot be created`)
  },
)

test('a folder that everybody may write to, a port in use and nonsense are refused; nothing stays behind', async () => {
  await chmod(data, 0o777)
  await expect(start()).rejects.toThrow(`everybody on this machine may write to ${data}`)
  await chmod(data, 0o700)
  await expect(start({ MDM_TRUST_PROXY: '10.0.0.0/8, proxy' })).rejects.toThrow('"proxy" is neither an address')
  await placeDatabase(join(data, 'db'))
  const server = await start()
  await expect(start()).rejects.toThrow(/in use|another/i)
  const port = String(server.deps.config.http.port)
  const elsewhere = join(data, 'other')
  await placeDatabase(join(elsewhere, 'db'))
  await expect(start({ MDM_DATA: elsewhere, MDM_HTTP_PORT: port })).rejects.toThrow('EADDRINUSE')
  // The lock of its database is free again.
  const other = await start({ MDM_DATA: elsewhere })
  expect((await fetch(`${other.url}/health`)).status).toBe(200)
})
