import pg from 'pg'
import { streamOf } from './pool.ts'

const look_ms = 250
const between_looks = 2
/** Looks in a row without an answer, each of them a turn of a loop that was free to read one: two seconds. */
const looks_of_patience = 8

/**
 * Asks PostgreSQL twice a second, on a connection of its own, whether it is there. A statement may take its time, so that
 * alone says nothing; a server that is stopped or cut off answers nobody, and its callers must not wait to find out.
 */
export function takePulse(config: pg.ClientConfig, on: { silent(): void; back(): void }): { close(): void } {
  let client: pg.Client | undefined
  let is_connected = false
  let unanswered: number | undefined
  let quiet = 0
  let is_silent = false

  function answered(from: pg.Client): void {
    if (from !== client) return
    unanswered = undefined
    if (!is_silent) return
    is_silent = false
    on.back()
  }
  function drop(from: pg.Client): void {
    if (from !== client) return
    client = undefined
    is_connected = false
    unanswered = undefined
    streamOf(from).destroy()
  }
  function ask(): void {
    const asked = (client ??= connect())
    unanswered = 0
    quiet = 0
    if (!is_connected) return
    asked.query('select 1').then(
      () => answered(asked),
      () => drop(asked),
    )
  }
  /** A refused connection is an answer: whoever calls gets it as quickly. */
  function connect(): pg.Client {
    const made = new pg.Client(config)
    made.on('error', () => drop(made))
    made.connect().then(
      () => {
        if (made !== client) return
        is_connected = true
        answered(made)
      },
      () => drop(made),
    )
    return made
  }
  const timer = setInterval(() => {
    if (unanswered === undefined) {
      if (++quiet >= between_looks) ask()
      return
    }
    if (++unanswered < looks_of_patience) return
    if (!is_silent) {
      is_silent = true
      on.silent()
    }
    if (client) drop(client)
  }, look_ms).unref()
  return {
    close() {
      clearInterval(timer)
      const last = client
      if (last) drop(last)
    },
  }
}
