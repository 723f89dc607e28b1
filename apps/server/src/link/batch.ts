export type Batcher<T> = {
  /** Resolves once the batch this item went into is committed. */
  add(item: T): Promise<void>
  waiting(): number
  /** Refuses what comes, waits for what has come. */
  close(): Promise<void>
}

export type BatcherOptions<T> = {
  /** One transaction for all of `items`, in their order; what it returns runs after the commit. */
  commit(items: T[]): Promise<() => void>
  max: number
  /** More than this many waiting items are refused, so that a database that lags cannot fill the memory. */
  max_waiting: number
  isUnavailable(error: unknown): boolean
  /** This item, alone, cannot be committed. It counts as done: refusing it would bring it back for ever. */
  refused(item: T, error: unknown): void
  afterCommitFailed(error: unknown): void
}

/** Deadlock and serialisation failure: the same batch succeeds when it is tried again. */
const transient = new Set(['40P01', '40001'])
const tries = 5

type Entry<T> = { item: T; resolve: () => void; reject: (error: unknown) => void }

/**
 * Group commit: whatever arrives while one transaction runs goes into the next one, so that a commit is paid once for
 * many messages and a quiet server still answers at once. Batches never overlap: the order of arrival is kept.
 */
export function batcher<T>(options: BatcherOptions<T>): Batcher<T> {
  let queue: Entry<T>[] = []
  let running: Promise<void> | undefined
  let is_closed = false

  async function run(): Promise<void> {
    // One turn of the loop, so that messages read from several sockets at once share the first transaction too.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      const entries = queue.splice(0, options.max)
      await commitAll(entries)
    }
    running = undefined
  }

  async function commitAll(entries: Entry<T>[], attempt = 1): Promise<void> {
    let after: () => void
    try {
      after = await options.commit(entries.map(({ item }) => item))
    } catch (error) {
      return failed(entries, error, attempt)
    }
    for (const { resolve } of entries) resolve()
    try {
      after()
    } catch (error) {
      options.afterCommitFailed(error)
    }
  }

  /** One bad row fails its whole transaction: halving finds it in a few steps and lets the others through. */
  async function failed(entries: Entry<T>[], error: unknown, attempt: number): Promise<void> {
    if (options.isUnavailable(error)) {
      for (const { reject } of entries) reject(error)
      return
    }
    if (transient.has(String((error as { code?: unknown }).code)) && attempt < tries)
      return commitAll(entries, attempt + 1)
    if (entries.length === 1) {
      options.refused(entries[0]!.item, error)
      entries[0]!.resolve()
      return
    }
    const middle = entries.length >> 1
    await commitAll(entries.slice(0, middle))
    await commitAll(entries.slice(middle))
  }

  return {
    add(item) {
      if (is_closed) return Promise.reject(new Error('the device link is closing'))
      if (queue.length >= options.max_waiting)
        return Promise.reject(new Error('the device link has too many waiting messages'))
      return new Promise<void>((resolve, reject) => {
        queue.push({ item, resolve, reject })
        running ??= run()
      })
    },
    waiting: () => queue.length,
    async close() {
      is_closed = true
      await running
    },
  }
}
