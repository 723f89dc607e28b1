import { refuse } from '../refusal.ts'
export type Asker = { account_kid: string; user_kid: string }
export type Turns = <T>(asker: Asker, left: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>

const waiting_of_user = 2
const waiting_of_all = 20

/**
 * Lets `at_once` of those who ask work at a time, one of each account: nobody's files keep another account waiting for more
 * than one of its own. Who asks for too much, or finds too many waiting, is refused as `too_many_requests`.
 */
export function turns(at_once: number): Turns {
  type Turn = Asker & { begin(): void }
  const running = new Set<Turn>()
  let waiting: Turn[] = []
  const isBusy = ({ account_kid }: Turn) => [...running].some((other) => other.account_kid === account_kid)

  function advance(): void {
    while (running.size < at_once) {
      const next = waiting.find((turn) => !isBusy(turn))
      if (!next) return
      waiting = waiting.filter((turn) => turn !== next)
      running.add(next)
      next.begin()
    }
  }

  return async (asker, left, work) => {
    left?.throwIfAborted()
    const own = waiting.filter(({ user_kid }) => user_kid === asker.user_kid).length
    if (own >= waiting_of_user || waiting.length >= waiting_of_all) refuse('too_many_requests', { seconds: 10 })
    let turn!: Turn
    await new Promise<void>((resolve) => {
      turn = { ...asker, begin: resolve }
      waiting.push(turn)
      left?.addEventListener('abort', () => {
        waiting = waiting.filter((other) => other !== turn)
        resolve()
      })
      advance()
    })
    try {
      left?.throwIfAborted()
      return await work()
    } finally {
      running.delete(turn)
      advance()
    }
  }
}
