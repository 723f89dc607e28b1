import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { Clock } from './clock.ts'

const most_lines = 5_000
const most_chars = 2_000

/** The agent's own log as the server may ask for it: its newest lines, in memory. */
export function openJournal(clock: Clock) {
  const lines: string[] = []
  return {
    add(line: string): void {
      lines.push(`${clock.now().toISOString()} ${line.replaceAll(/\p{Cc}/gu, ' ').slice(0, most_chars)}`)
      // In bulk, so that a busy agent does not shift an array with every line.
      if (lines.length > most_lines * 1.2) lines.splice(0, lines.length - most_lines)
    },
    /** `more` comes after the lines. */
    zipped: (more?: Buffer): Promise<Buffer> => {
      const own = lines.slice(-most_lines).map((line) => `${line}\n`)
      return promisify(gzip)(Buffer.concat([Buffer.from(own.join('')), ...(more ? [more] : [])]))
    },
  }
}
export type Journal = ReturnType<typeof openJournal>
