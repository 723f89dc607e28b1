import { mkdir, stat } from 'node:fs/promises'
import { localHosts, SettingsError } from './config.ts'
import type { Config } from './config.ts'
import { parseNetwork } from './http/peer-address.ts'
import type { Log } from './lib/log.ts'

/** Makes the data folder and refuses one that others may write to. Warns of what is legal but unwise. Throws SettingsError. */
export async function assertSafe(config: Config, log: Log): Promise<void> {
  await mkdir(config.data, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError([`MDM_DATA: ${config.data} cannot be created (${error.code ?? error.message}).`])
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
  for (const warning of warnings(config)) log.warn({}, warning)
}

function warnings({ public_url, mqtt, database_url }: Config): string[] {
  const found: string[] = []
  if (public_url?.startsWith('http://') && !localHosts.includes(new URL(public_url).hostname))
    found.push('MDM_PUBLIC_URL is not https: passwords and tokens cross the network readable')
  if (mqtt.url?.startsWith('mqtt://') && !localHosts.includes(new URL(mqtt.url).hostname))
    found.push('MQTT_URL is not mqtts: device messages cross the network readable')
  if (database_url !== undefined && public_url === undefined)
    found.push('MDM_PUBLIC_URL is not set: devices and browsers elsewhere are told addresses of localhost')
  return found
}
