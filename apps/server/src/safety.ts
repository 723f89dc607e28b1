import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { localHosts, SettingsError } from './config.ts'
import type { Config } from './config.ts'
import { isDiskFull } from './lib/database-errors.ts'
import { parseNetwork } from './http/peer-address.ts'
import { hasRoomToStart } from './lib/disk-reserve.ts'
import type { Log } from './lib/log.ts'
import { assertNotMoved } from './lib/moved-mark.ts'

/** Makes the data folder and refuses one that others may write to. Warns of what is legal but unwise. Throws SettingsError. */
export async function assertSafe(config: Config, log: Log): Promise<void> {
  await makeFolder(resolve(config.data)).catch((error: NodeJS.ErrnoException) => {
    throw isDiskFull(error) ? noRoom(config.data) : unmade(config.data, 'created', error)
  })
  const found = await stat(config.data)
  const problems = config.trust_proxy
    .filter((text) => parseNetwork(text) === undefined)
    .map((text) => `MDM_TRUST_PROXY: ${JSON.stringify(text)} is neither an address nor a network such as 10.0.0.0/8.`)
  if (!found.isDirectory()) problems.push(`MDM_DATA: ${config.data} is not a folder.`)
  // Who can write here can put in passwords, files and keys of his own.
  else if (process.platform !== 'win32' && (found.mode & 0o002) !== 0)
    problems.push(`MDM_DATA: everybody on this machine may write to ${config.data}. Run: chmod o-w ${config.data}`)
  if (problems.length > 0) throw new SettingsError(problems)
  if (config.database_url === undefined) await assertNotMoved(config.data)
  await assertWritable(config.data, config.database_url === undefined)
  for (const warning of warnings(config)) log.warn({}, warning)
}

/** As mkdir's own `recursive`, which tries for ever where a folder is there and nothing can be made in it (/proc). */
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 })
  try {
    await make()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    const parent = dirname(path)
    const is_missing = code === 'ENOENT' && (await stat(parent).catch(() => undefined)) === undefined
    if (!is_missing || parent === path) throw error
    await makeFolder(parent)
    await make()
  }
}

async function assertWritable(data: string, is_embedded: boolean): Promise<void> {
  if (!(await hasRoomToStart(data, is_embedded))) throw noRoom(data)
  const probe = join(data, 'may-be-written')
  try {
    await writeFile(probe, 'x')
  } catch (error) {
    throw isDiskFull(error) ? noRoom(data) : unmade(data, 'written to', error as NodeJS.ErrnoException)
  } finally {
    await rm(probe, { force: true }).catch(() => {})
  }
}

const unmade = (data: string, what: string, error: NodeJS.ErrnoException) =>
  new SettingsError([`MDM_DATA: ${data} cannot be ${what} (${error.code ?? error.message}).`])
const noRoom = (data: string) =>
  new SettingsError([`MDM_DATA: the disk of ${data} is full. Make room (100 MB are enough to start) and start again.`])

function warnings({ public_url, mqtt, database_url }: Config): string[] {
  const found: string[] = []
  if (public_url?.startsWith('http://') && !localHosts.includes(new URL(public_url).hostname))
    found.push('MDM_PUBLIC_URL is not https: passwords and tokens cross the network readable')
  if (mqtt.url?.startsWith('mqtt://') && !localHosts.includes(new URL(mqtt.url).hostname))
    found.push('MQTT_URL is not mqtts: device messages cross the network readable')
  if (public_url?.startsWith('https://') && mqtt.public_url?.startsWith('mqtt://'))
    found.push('MDM_PUBLIC_MQTT_URL is not mqtts: secrets of devices and what they are told cross the network readable')
  if (database_url !== undefined && public_url === undefined)
    found.push('MDM_PUBLIC_URL is not set: devices and browsers elsewhere are told addresses of localhost')
  return found
}
