/** Waits for a condition of the real world; a test says what it waits for and never how long it usually takes. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  seconds = 45,
): Promise<T> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false && found !== null) return found
    if (performance.now() > end) throw new Error(`waited ${seconds} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
