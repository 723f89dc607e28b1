import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that Linux, macOS and Windows give by themselves to whoever connects, or listens on any port. */
const [first, last] = [20_000, 32_700]

/**
 * A port of this machine that nobody listens on. It is for a program that listens later, so it is none of those that the
 * system might meanwhile give to a test beside it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
