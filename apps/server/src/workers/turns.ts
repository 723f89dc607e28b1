import { refuse, Refusal } from '../refusal.ts'

/** For whom a file is read. `on_place` is told the place in the line, 1 being the next, whenever it changes; `signal` ends the work. */
export type Requester = {
  account_kid: string
  user_kid: string
  on_place?: ((place: number) => void) | undefined
  signal?: AbortSignal | undefined
}
export type Turns = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>

/** Each takes a processor while it works. */
const files_at_once = 2
const waiting_of_user = 2
/** Of all accounts together: what bounds the memory of those who wait. */
const waiting_of_all = 100

type Turn = Requester & { begin(): void; refuse(error: Refusal): void; place?: number }
type Person = { kid: string; turns: Turn[] }
type Account = { kid: string; people: Person[] }

/**
 * Lets `at_once` of those who ask work at a time, one of each account. Accounts take turns, and within an account its
 * people do: however much one of them asks for, every other waits for one turn of theirs and no more. A person who has too
 * much waiting is refused as `too_many_requests`. When all places are taken, the account that holds most of them gives
 * up its last.
 */
export function turns(at_once: number): Turns {
  const running = new Set<Turn>()
  /** Those who wait, the next first; who had a turn stands at the end again. */
  const line: Account[] = []
  const isBusy = (account_kid: string) => [...running].some((turn) => turn.account_kid === account_kid)

  function advance(): void {
    while (running.size < at_once) {
      const account = line.find(({ kid }) => !isBusy(kid))
      if (!account) break
      const person = account.people[0]!
      const turn = person.turns[0]!
      remove(turn)
      if (person.turns.length > 0) toEnd(account.people, person)
      if (account.people.length > 0) toEnd(line, account)
      running.add(turn)
      turn.begin()
    }
    tellPlaces()
  }

  function tellPlaces(): void {
    for (const account of line)
      for (const person of account.people)
        for (const turn of person.turns) {
          if (!turn.on_place) continue
          const of_account = before(account.people, person, person.turns.indexOf(turn), (other) => other.turns.length)
          const place = before(line, account, of_account, waitingOf) + 1
          if (place !== turn.place) turn.on_place((turn.place = place))
        }
  }

  function add(turn: Turn): void {
    const account = found(line, { kid: turn.account_kid, people: [] })
    found(account.people, { kid: turn.user_kid, turns: [] }).turns.push(turn)
  }

  function remove(turn: Turn): void {
    const account = line.find(({ kid }) => kid === turn.account_kid)
    const person = account?.people.find(({ kid }) => kid === turn.user_kid)
    if (!account || !person?.turns.includes(turn)) return
    take(person.turns, turn)
    if (person.turns.length === 0) take(account.people, person)
    if (account.people.length === 0) take(line, account)
  }

  /** Makes a place for one more of this account: the largest share gives one up, which may be the one that asks. */
  function makePlace({ account_kid }: Requester): void {
    if (line.reduce((sum, account) => sum + waitingOf(account), 0) < waiting_of_all) return
    const largest = line.reduce((most, account) => (waitingOf(account) > waitingOf(most) ? account : most))
    const own = line.find(({ kid }) => kid === account_kid)
    if ((own ? waitingOf(own) : 0) + 1 >= waitingOf(largest)) return tooMany()
    const person = largest.people.reduce((most, one) => (one.turns.length >= most.turns.length ? one : most))
    const last = person.turns.at(-1)!
    remove(last)
    last.refuse(new Refusal('too_many_requests', { seconds: 10 }))
  }

  return async (requester, work) => {
    requester.signal?.throwIfAborted()
    const account = line.find(({ kid }) => kid === requester.account_kid)
    const own = account?.people.find(({ kid }) => kid === requester.user_kid)
    if (own && own.turns.length >= waiting_of_user) tooMany()
    makePlace(requester)
    let turn!: Turn
    const leave = () => {
      remove(turn)
      turn.begin()
      advance()
    }
    try {
      await new Promise<void>((resolve, reject) => {
        turn = { ...requester, begin: resolve, refuse: reject }
        add(turn)
        requester.signal?.addEventListener('abort', leave)
        advance()
      })
      requester.signal?.throwIfAborted()
      return await work()
    } finally {
      requester.signal?.removeEventListener('abort', leave)
      running.delete(turn)
      advance()
    }
  }
}

const tooMany = (): never => refuse('too_many_requests', { seconds: 10 })
const waitingOf = ({ people }: Account): number => people.reduce((sum, { turns }) => sum + turns.length, 0)

/** How many come before the one that `own` of the same `one` come before, when all of the line take turns. */
function before<T>(all: readonly T[], one: T, own: number, lengthOf: (other: T) => number): number {
  const at = all.indexOf(one)
  return all.reduce((sum, other, i) => (i === at ? sum : sum + Math.min(lengthOf(other), own + (i < at ? 1 : 0))), own)
}

function found<T extends { kid: string }>(all: T[], fresh: T): T {
  const there = all.find(({ kid }) => kid === fresh.kid)
  if (!there) all.push(fresh)
  return there ?? fresh
}
function take<T>(all: T[], one: T): void {
  all.splice(all.indexOf(one), 1)
}
function toEnd<T>(all: T[], one: T): void {
  take(all, one)
  all.push(one)
}

/** Of the files of strangers that a server reads. */
export const fileTurns = (): Turns => turns(files_at_once)
