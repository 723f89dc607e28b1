// The servers of P14, each with a folder of its own: ours as it is built, and MeshCentral as npm brings it.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { soon } from './p10-start.ts'
import { start, treePids } from './processes.ts'
import type { Running } from './processes.ts'

export const version = '1.1.55'
const fetch_ms = 300_000

/** A server that can be started again on what it has kept, and the page where people sign in. */
export type Product = { begin(): Running; url: string }

/** Why it is not there; undefined when it is. */
export async function fetched(home: string): Promise<string | undefined> {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  try {
    const args = ['install', '--prefix', home, ...quiet, `meshcentral@${version}`]
    await promisify(execFile)('npm', args, { timeout: fetch_ms })
    return undefined
  } catch {
    return 'it could not be fetched'
  }
}

export async function mdm(data: string): Promise<Product> {
  const [http, mqtt] = [await freePort(), await freePort()]
  const env = {
    ...{ MDM_DATA: data, MDM_HTTP_PORT: String(http), MDM_MQTT_PORT: String(mqtt), MDM_LOG_LEVEL: 'error' },
    ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
  }
  return { begin: () => start(['apps/server/dist/main.js'], env), url: `http://127.0.0.1:${http}/login` }
}

/** Without TLS, as ours; its agents come by TLS alone. */
export async function meshCentral(
  home: string,
  { tls = false } = {},
): Promise<Product & { args: string[]; port: number }> {
  const port = await freePort()
  const data = join(home, tls ? 'meshcentral-tls' : 'meshcentral-data')
  const settings = {
    ...{ cert: 'localhost', port, aliasPort: port, portBind: '127.0.0.1', exactPorts: true, redirPort: 0, mpsPort: 0 },
    // It signs programs for Windows while it starts, and asks the Internet what time it is.
    ...{ lanOnly: true, agentTimeStampServer: false, ...(tls ? {} : { tlsOffload: '127.0.0.1' }) },
  }
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'config.json'), JSON.stringify({ settings, domains: { '': {} } }))
  const args = [join(home, 'node_modules', 'meshcentral'), '--datapath', data]
  return { begin: () => start(args, {}), url: `http${tls ? 's' : ''}://127.0.0.1:${port}/`, args, port }
}

/** Starts it, works with it once it shows its page, and ends it with all that it has started. */
export async function up<T>({ begin, url }: Product, work: (of: Running) => Promise<T>): Promise<T> {
  const of = begin()
  try {
    await soon(async () => {
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      return page.ok && (await page.text()).includes('<html')
    })
    return await work(of)
  } finally {
    const below = treePids(of.pid).slice(1)
    await of.stop()
    for (const pid of below)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended with the one above it.
      }
  }
}
