/** What a device says over a line, for whoever waits for the next of it. `patience` calls when that has taken too long, until it is stopped. */
export function openInbox<T>(patience: (late: () => void) => () => void, late: () => Error) {
  const heard: T[] = []
  let fault: Error | undefined
  let settle = () => {}
  const fail = (error: Error) => {
    fault ??= error
    settle()
  }
  return {
    fail,
    /** How much is there that nobody has asked for yet. */
    put(said: T): number {
      heard.push(said)
      settle()
      return heard.length
    },
    async next(): Promise<T> {
      const stop = patience(() => fail(late()))
      try {
        for (;;) {
          if (heard.length > 0) return heard.shift()!
          if (fault) throw fault
          await new Promise<void>((resolve) => (settle = resolve))
        }
      } finally {
        stop()
      }
    },
  }
}
