import { gzip } from '#platform'
import type { Clock } from './clock.ts'

const most_lines = 5_000
const most_chars = 2_000

/** The agent's own log as the server may ask for it: its newest lines, in memory. */
export function openJournal(clock: Clock) {
  const lines: string[] = []
  const followers = new Set<(line: string) => void>()
  return {
    add(line: string): void {
      const dated = `${clock.now().toISOString()} ${line.replaceAll(/\p{Cc}/gu, ' ').slice(0, most_chars)}`
      lines.push(dated)
      for (const follower of followers) follower(dated)
      // In bulk, so that a busy agent does not shift an array with every line.
      if (lines.length > most_lines * 1.2) lines.splice(0, lines.length - most_lines)
    },
    /** Hears the last `before` lines, then each new one. Returns what ends it. */
    follow(before: number, follower: (line: string) => void): () => void {
      lines.slice(-before).forEach(follower)
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    /** `more` comes after the lines. */
    zipped: (more?: Uint8Array): Promise<Uint8Array> => {
      const own = lines.slice(-most_lines).map((line) => `${line}\n`)
      const said = new TextEncoder().encode(own.join(''))
      if (!more) return gzip(said)
      const both = new Uint8Array(said.length + more.length)
      both.set(said)
      both.set(more, said.length)
      return gzip(both)
    },
  }
}
export type Journal = ReturnType<typeof openJournal>
