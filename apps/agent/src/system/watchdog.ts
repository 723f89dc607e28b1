import { runCommand } from '../body/command.ts'

/**
 * Tells systemd that the agent is ready, and again and again that it lives. Node has no datagrams on local sockets, so the command
 * of systemd says it; the unit takes words of every process of the service for that. An event loop that stands still says
 * nothing, and systemd starts the agent anew.
 */
export function watchdog(
  env: Record<string, string | undefined>,
  isWell: () => boolean,
  log: (line: string) => void,
): () => void {
  if (!env['NOTIFY_SOCKET']) return () => {}
  const say = (word: string) =>
    runCommand(['systemd-notify', word], { timeout_ms: 20_000 }).then(
      ({ code, stderr }) => void (code !== 0 && log(`systemd-notify ${word}: ${stderr.trim()}`)),
      (error: Error) => log(`systemd-notify ${word}: ${error.message}`),
    )
  void say('READY=1')
  const every_ms = Number(env['WATCHDOG_USEC']) / 1000 / 3
  if (!(every_ms > 0)) return () => {}
  const timer = setInterval(() => isWell() && void say('WATCHDOG=1'), every_ms)
  return () => clearInterval(timer)
}
