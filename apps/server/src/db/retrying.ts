/** A deadlock, or a transaction that could not be made serial. */
export const isCollision = (error: unknown): boolean =>
  ['40P01', '40001'].includes(String((error as { code?: unknown }).code))

/** Runs a transaction again when PostgreSQL ended it to resolve a deadlock or a conflict: nothing of it has happened. */
export async function retrying<T>(run: () => Promise<T>, tries = 5): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isCollision(error) || attempt >= tries) throw error
    }
  }
}
