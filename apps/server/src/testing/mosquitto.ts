import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import { vi } from 'vitest'
import type { TestDeps } from './deps.ts'
import { freePort } from './free-port.ts'

export const has_mosquitto = spawnSync('mosquitto', ['-h']).error === undefined

/** The broker lets everybody in, where nothing else is said. */
export const withOpenBroker = (deps: TestDeps): TestDeps => {
  deps.config.mqtt.may_be_open = true
  return deps
}

/** Debian's broker with this configuration, listening; `who` may connect. Its folder is the caller's to remove. */
export async function startMosquitto(
  access: string[] = ['allow_anonymous true'],
  who: { username?: string; password?: string } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-mosquitto-'))
  const port = await freePort()
  const url = `mqtt://127.0.0.1:${port}`
  await writeFile(join(folder, 'conf'), [`listener ${port} 127.0.0.1`, ...access, ''].join('\n'))
  // It reads its files as the user that it was started by.
  const broker = spawnIn(folder)
  await vi.waitFor(async () => (await connectAsync(url, who, false)).endAsync())
  return { folder, url, broker }
}
export type Mosquitto = Awaited<ReturnType<typeof startMosquitto>>

const spawnIn = (folder: string) => spawn('mosquitto', ['-c', join(folder, 'conf')], { stdio: 'ignore' })

/** kill -9, for as long as `meanwhile` takes; it has forgotten everything when it is back. */
export async function killMosquitto(started: Mosquitto, meanwhile?: () => Promise<unknown>): Promise<void> {
  const gone = once(started.broker, 'exit')
  started.broker.kill('SIGKILL')
  await gone
  await meanwhile?.()
  started.broker = spawnIn(started.folder)
}
export const secret = 'of-everybody'
