import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ownProgramArgs } from '@mdm/server/lib/own-program.ts'
import { placeDatabase } from '@mdm/server/testing/database-template.ts'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { caller } from '../caller.ts'
import type { Caller } from '../caller.ts'

export type Killable = AsyncDisposable & {
  url: string
  mqtt_url: string
  data: string
  /** Root of the first customer; a new session after every start. */
  customer: Caller
  /** Of the provider, outside of all customers. */
  operator: Caller
  /** Of its HTTP server, whatever address it is known under. */
  port: number
  /** kill -9, and wait until it is dead. */
  kill(): Promise<void>
  /** kill -9, wait until it is dead, and start it again on the same folder and ports. */
  killAndRestart(): Promise<void>
  /** SIGTERM, wait until it has ended, and start it again. Says with which code it ended. */
  endAndRestart(): Promise<number | null>
}

type Options = {
  database_url?: string
  /** Of another process. */
  broker_url?: string
  public_url?: string
  /** A server with the same folder. */
  beside?: Killable
  /** More settings. */
  settings?: Record<string, string>
}

/** A server on ports and a folder that outlive it. */
export async function killableServer({
  database_url,
  broker_url,
  public_url,
  beside,
  settings,
}: Options = {}): Promise<Killable> {
  const data = beside?.data ?? (await mkdtemp(join(tmpdir(), 'mdm-kill-')))
  const [http, mqtt] = await Promise.all([freePort(), freePort()])
  const env = {
    ...process.env,
    MDM_DATA: data,
    MDM_HTTP_PORT: String(http),
    MDM_HTTP_HOST: '127.0.0.1',
    ...(broker_url === undefined
      ? { MDM_MQTT_PORT: String(mqtt), MDM_MQTT_HOST: '127.0.0.1' }
      : { MQTT_URL: broker_url, MDM_PUBLIC_MQTT_URL: broker_url, MDM_ALLOW_OPEN_BROKER: 'true' }),
    MDM_LOG_LEVEL: 'error',
    ...(database_url === undefined ? {} : { DATABASE_URL: database_url, MDM_DATA_SHARED: 'true' }),
    ...(public_url === undefined ? {} : { MDM_PUBLIC_URL: public_url }),
    ...settings,
  }
  if (database_url === undefined) await placeDatabase(join(data, 'db'))
  let child: ChildProcess
  const start = async () => {
    child = spawn(process.execPath, ownProgramArgs(import.meta.url, 'server-process'), {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: child.stdout! })) {
      if (!line.startsWith('{"url"')) continue
      const { url, mqtt_url, token, operator_token } = JSON.parse(line) as Record<
        'url' | 'mqtt_url' | 'token' | 'operator_token',
        string
      >
      child.stdout!.resume()
      return { url, mqtt_url, customer: caller(url, { token }), operator: caller(url, { token: operator_token }) }
    }
    throw new Error('the server ended before it served')
  }
  const isDead = () => child.exitCode !== null || child.signalCode !== null
  const kill = async () => {
    if (isDead()) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const made = { data, port: http, ...(await start()) } as Killable
  return Object.assign(made, {
    kill,
    async killAndRestart() {
      await kill()
      Object.assign(made, await start())
    },
    async endAndRestart() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = (await gone) as [number | null]
      Object.assign(made, await start())
      return code
    },
    async [Symbol.asyncDispose]() {
      await kill()
      if (!beside) await rm(data, { recursive: true, force: true })
    },
  })
}
