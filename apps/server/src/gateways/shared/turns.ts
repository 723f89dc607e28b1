/** What is done for one device waits for what is being done for it: an agent makes several requests at a time. */
export function deviceTurns(): <T>(kid: string, work: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, Promise<unknown>>()
  return async (kid, work) => {
    const mine = (turns.get(kid) ?? Promise.resolve()).catch(() => {}).then(work)
    turns.set(kid, mine)
    try {
      return await mine
    } finally {
      if (turns.get(kid) === mine) turns.delete(kid)
    }
  }
}
