import { readConfig, SettingsError } from './config.ts'
import { DatabaseError, isDiskFull, isUnavailable } from './db/errors.ts'
import { createLog } from './lib/log.ts'
import { startServer } from './server.ts'
import type { RunningServer } from './server.ts'

/** Longer than every part's own bound: what has not closed by then never will. */
const close_ms = 20_000

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.log_level)
  let server: RunningServer | undefined
  let is_closing = false

  function closeOn(signal: string): void {
    // Whoever asks twice does not want to wait.
    if (is_closing) process.exit(1)
    is_closing = true
    log.info({ signal }, 'closing')
    setTimeout(() => process.exit(1), close_ms).unref()
    if (server) void server.close().then(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => closeOn(signal))
  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error) => {
      // Nobody knows what is half-done now; a fresh process does not have to know.
      log.error({ err: error }, event)
      process.exit(1)
    })

  server = await startServer(config, { log })
  if (is_closing) return void server.close().then(() => process.exit(0))
  announce(server)
}

/** For people, not for the log: the password must not end up in one. */
function announce({ url, mqtt_url, first_password }: RunningServer): void {
  const lines = ['', `  Console  ${url}`, `  MQTT     ${mqtt_url}`]
  if (first_password) {
    const { username, password } = first_password
    lines.push('', `  First start: sign in as ${username} with the password ${password}`)
    lines.push('  It is shown this once: keep it in a safe place.')
  }
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

main().catch((error: unknown) => {
  if (error instanceof SettingsError) {
    console.error(error.message)
    process.exit(2)
  }
  const code = (error as NodeJS.ErrnoException).code
  if (isDiskFull(error))
    console.error(
      `Cannot start: there is no room on the disk of the database or of MDM_DATA (${(error as Error).message}).`,
    )
  else if (error instanceof DatabaseError) console.error(`Cannot start: ${error.message}`)
  else if (code === 'EADDRINUSE' || code === 'EACCES')
    console.error(`Cannot start: ${(error as Error).message}. Choose another MDM_HTTP_PORT or MDM_MQTT_PORT.`)
  else if (isUnavailable(error))
    console.error(`Cannot start: the database cannot be reached (${(error as Error).message}).`)
  else console.error('Cannot start:', error)
  process.exit(1)
})
