import { readConfig } from './config.ts'
import type { Config } from './config.ts'
import { createLog } from './lib/log.ts'
import { startServer } from './server.ts'
import type { RunningServer } from './server.ts'
import { startFault } from './start-fault.ts'

/** After it has drained. Longer than every part's own bound: what has not closed by then never will. */
const close_ms = 20_000

/** The whole life of a server in this process, which ends with it. */
export async function run(options: { env_file?: string } = {}): Promise<void> {
  try {
    await live(options)
  } catch (error) {
    const { exit_code, said } = startFault(error)
    console.error(...said)
    process.exit(exit_code)
  }
}

async function live(options: { env_file?: string }): Promise<void> {
  const config = readConfig(process.env, options)
  const log = createLog(config.log_level)
  let server: RunningServer | undefined
  let is_closing = false

  function closeOn(signal: string): void {
    // Whoever asks twice does not want to wait.
    if (is_closing) process.exit(1)
    is_closing = true
    log.info({ signal }, 'closing')
    setTimeout(() => process.exit(1), config.drain_ms + close_ms).unref()
    if (server) void end(server)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => closeOn(signal))
  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error) => {
      // Nobody knows what is half-done now; a fresh process does not have to know.
      log.error({ err: error }, event)
      process.exit(1)
    })

  server = await startServer(config, { log })
  if (is_closing) return void end(server)
  announce(server)
}

async function end(server: RunningServer): Promise<void> {
  await server.drain()
  await server.close()
  process.exit(0)
}

/** For people, not for the log: the password must not end up in one. */
function announce(server: RunningServer): void {
  const { url, mqtt_url, first_password } = server
  const lines = ['', `  Console  ${url}`, `  MQTT     ${mqtt_url}`]
  if (first_password) {
    const { username, password } = first_password
    lines.push('', `  First start: sign in as ${username} with the password ${password}`)
    lines.push('  It is shown this once: keep it in a safe place.')
    const open = stillOpen(server.deps.config)
    if (open.length > 0) lines.push('', '  Still open:', ...open.map((each) => `  - ${each}`))
  }
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

/** What a first start cannot find out by itself. */
function stillOpen({ public_url, tls, acme, smtp }: Config): string[] {
  const found: string[] = []
  if (public_url === undefined) found.push('MDM_PUBLIC_URL, the address that devices and browsers reach this server by')
  if (tls === undefined && acme === undefined && public_url?.startsWith('https://') !== true)
    found.push('TLS: a proxy in front, MDM_ACME_DIRECTORY, or MDM_TLS_CERT and MDM_TLS_KEY')
  if (smtp === null) found.push('MDM_SMTP_URL and MDM_SMTP_FROM, which alerts are mailed by')
  return found
}
