/** As many lines are kept on screen, and as many wait while it is paused; older ones are let go and counted. */
export const most_lines = 10_000

const most_letters = 64 * 1024

export type LogView = { lines: readonly string[]; waiting: number; dropped: number }

/** What a device has written to its log, line by line as it came in pieces of bytes. */
export class LogLines {
  #lines: string[] = []
  #waiting: string[] | null = null
  #rest = ''
  #dropped = 0
  readonly #decoder = new TextDecoder()

  take(bytes: ArrayBuffer | Uint8Array): void {
    const parts = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#rest = parts.pop() ?? ''
    // A line without an end must not grow for ever.
    if (this.#rest.length > most_letters) {
      parts.push(this.#rest.slice(0, most_letters))
      this.#rest = ''
    }
    const into = this.#waiting ?? this.#lines
    for (const line of parts) into.push(line.replace(/\r$/, ''))
    this.#letGo(into)
  }
  pause(): void {
    this.#waiting ??= []
  }
  resume(): void {
    this.#lines.push(...(this.#waiting ?? []))
    this.#waiting = null
    this.#letGo(this.#lines)
  }
  clear(): void {
    this.#lines = []
    if (this.#waiting) this.#waiting = []
    this.#dropped = 0
  }
  /** What is on screen; another object than before, so that it can be told from it. */
  view(filter = ''): LogView {
    const wanted = filter.trim().toLowerCase()
    const lines = wanted ? this.#lines.filter((line) => line.toLowerCase().includes(wanted)) : [...this.#lines]
    return { lines, waiting: this.#waiting?.length ?? 0, dropped: this.#dropped }
  }

  #letGo(lines: string[]): void {
    const over = lines.length - most_lines
    if (over <= 0) return
    lines.splice(0, over)
    this.#dropped += over
  }
}
