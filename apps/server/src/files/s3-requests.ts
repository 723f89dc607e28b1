import { isObjectKey } from './object-bytes.ts'

const tries = 4

/** Where an object lies in a bucket: under the key that it has on a local disk. */
export function placeOf(key: string): string {
  if (!isObjectKey(key)) throw new Error(`not a key of an object: ${JSON.stringify(key.slice(0, 60))}`)
  return `${key.slice(-2)}/${key.slice(-4, -2)}/${key}`
}

/** A network that fails for a moment, and a service that is busy, are asked again. */
export async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const { status = 0 } = error as { status?: number }
      const may_pass = status === 0 || status === 429 || status >= 500
      if (!may_pass || attempt >= tries) throw error
      await new Promise((resolve) => setTimeout(resolve, 200 * 4 ** (attempt - 1)))
    }
  }
}
