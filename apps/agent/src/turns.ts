/** Work of one key, one after the other, in the order in which it came. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function openTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const mine = (async () => {
      await before?.catch(() => undefined)
      return work()
    })()
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
