/** Beyond it a message took long to read. */
const free_ms = 5
/** For each millisecond that one took, a device waits so many: it gets a tenth of the thread that serves everybody. */
const share = 10
const longest_ms = 10_000

/** Who waits before the next message of a device is read, since the ones before took long. Nothing is lost: they wait unacknowledged. */
export function patience() {
  const resting = new Map<string, Promise<void>>()
  /** The last of those that wait, by device: they go on one after the other. */
  const waiting = new Map<string, Promise<unknown>>()

  function run<T>(kid: string, read: () => T): T {
    const began = performance.now()
    try {
      return read()
    } finally {
      const ms = performance.now() - began
      if (ms > free_ms) rest(kid, Math.min(ms * share, longest_ms))
    }
  }

  function rest(kid: string, ms: number): void {
    const over = new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())
    resting.set(kid, over)
    void over.then(() => resting.get(kid) === over && resting.delete(kid))
  }

  return {
    /** Reads one message of a device: at once, unless it has to wait. */
    read<T>(kid: string, read: () => T): T | Promise<T> {
      const before = waiting.get(kid) ?? resting.get(kid)
      if (!before) return run(kid, read)
      const turn = before.then(async () => {
        for (let over = resting.get(kid); over; over = resting.get(kid)) await over
        return run(kid, read)
      })
      const ended = turn.catch(() => {})
      waiting.set(kid, ended)
      void ended.then(() => waiting.get(kid) === ended && waiting.delete(kid))
      return turn
    },
  }
}
