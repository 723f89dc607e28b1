/** A wait that takes longer is told: on a busy machine it shows what comes near to its patience. */
const long_seconds = 10

/** Waits for a condition of the real world; a test says what it waits for and never how long it usually takes. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  seconds = 60,
): Promise<T> {
  const began = performance.now()
  const waited = () => (performance.now() - began) / 1000
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false && found !== null) return found
      if (waited() > seconds) throw new Error(`waited ${seconds} s for ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  } finally {
    if (waited() > long_seconds) console.warn(`waited ${waited().toFixed(1)} s of ${seconds} s for ${what}`)
  }
}
