import { existsSync } from 'node:fs'
import { Duplex } from 'node:stream'
import type { Journal } from '../journal.ts'
import { endSession, programPath, spawnBound, streamOf } from './process.ts'
import type { RemoteSource } from './source.ts'

const lines_before = 100
/** What is not read by then is left out, and said to be. */
const most_waiting_bytes = 262_144

/** Where systemd writes its journal; without one `journalctl` waits for ever. */
const has_journal = (): boolean =>
  programPath('journalctl') !== undefined && ['/run/log/journal', '/var/log/journal'].some((path) => existsSync(path))

/** The log as it is written: of a command, of the system's journal, or else the agent's own. */
export function followLog(command: readonly string[] | undefined, journal: Journal): RemoteSource {
  const words = command ?? (has_journal() ? ['journalctl', '-f', '-n', String(lines_before), '--no-pager'] : undefined)
  if (!words) return { stream: linesOf((tell) => journal.follow(lines_before, tell)) }
  const child = spawnBound(words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const end = async () => child.pid !== undefined && endSession(child.pid)
  return { stream: streamOf(child, { outputs: [child.stdout!, child.stderr!], end }) }
}

/** Lines that come by themselves, for a reader who may be slow. */
export function linesOf(follow: (tell: (line: string) => void) => () => void): Duplex {
  let left_out = 0
  let stop = () => {}
  const stream = new Duplex({
    read: () => {},
    // What the viewer of a log sends has no meaning.
    write: (_chunk, _encoding, done) => done(),
    destroy(error, done) {
      stop()
      done(error)
    },
  })
  stop = follow((line) => {
    if (stream.readableLength > most_waiting_bytes) return void (left_out += 1)
    if (left_out > 0) stream.push(`(${left_out} lines left out)\n`)
    left_out = 0
    stream.push(`${line}\n`)
  })
  return stream
}
