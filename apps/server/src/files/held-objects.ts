import type { ObjectStore } from './object-store.ts'

export type HeldObjects = {
  store: ObjectStore
  /** From now on nothing is deleted until the result is called; what should have been goes then. */
  hold(): () => Promise<void>
}

/** A store whose bytes can be kept for as long as a backup reads them. */
export function holdable(store: ObjectStore): HeldObjects {
  let holders = 0
  const waiting = new Set<string>()
  return {
    store: {
      ...store,
      async delete(key) {
        if (holders > 0) waiting.add(key)
        else await store.delete(key)
      },
    },
    hold() {
      holders += 1
      let is_over = false
      return async () => {
        if (is_over) return
        is_over = true
        holders -= 1
        if (holders > 0) return
        const due = [...waiting]
        waiting.clear()
        for (const key of due) await store.delete(key)
      }
    },
  }
}
