/** Runs a transaction again when PostgreSQL ended it to resolve a deadlock or a conflict: nothing of it has happened. */
export async function retrying<T>(run: () => Promise<T>, tries = 5): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const code = (error as { code?: unknown }).code
      if ((code !== '40P01' && code !== '40001') || attempt >= tries) throw error
    }
  }
}
