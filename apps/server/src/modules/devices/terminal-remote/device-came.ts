import type { Actor } from '../../../actor.ts'

const look_ms = 500

/**
 * Resolves when the device's end has stood on some server since the look before: until then its answer says more. The answer itself
 * may have gone to a server that was killed, and be found there only when the broker has given that one up.
 */
export function deviceCame({ deps, scope }: Actor, kid: string): { came: Promise<void>; stop(): void } {
  let stop = () => {}
  const came = new Promise<void>((resolve) => {
    let was_there = false
    stop = deps.clock.every(look_ms, async () => {
      const is_there = await scope
        .selectFrom('remote_viewer')
        .select('kid')
        .where('kid', '=', kid)
        .where('node_kid', 'is not', null)
        .executeTakeFirst()
        // A database that is away is told by what waits for this.
        .catch(() => undefined)
      if (was_there && is_there) resolve()
      was_there = is_there !== undefined
    })
  })
  return { came, stop: () => stop() }
}
