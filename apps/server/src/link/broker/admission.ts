import { createHash } from 'node:crypto'
import { rateLimiter } from '../../lib/rate-limit.ts'
import type { Limits } from './broker-messages.ts'

/** Lets `rate` through a second and `burst` at once, before anything expensive is done for the rest. */
export function tokenBucket(rate: number, burst: number, now: () => number = performance.now.bind(performance)) {
  let tokens = burst
  let seen = now()
  return (): boolean => {
    const at = now()
    tokens = Math.min(burst, tokens + ((at - seen) / 1000) * rate)
    seen = at
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

/** What a CONNECT comes with. */
export type Credential = { address: string; kid: string; secret: Uint8Array }
/** `wrong` was asked before and is refused as it was then; `busy` shall come again. */
export type Verdict = 'ask' | 'wrong' | 'busy'

const minute = 60_000
const most_remembered = 50_000
/** How often one device may connect with its right secret, once it has done so too often. */
const own_ms = 10_000
/** Wrong secrets of one device at one address within a minute that count like anybody's. */
const pair_failures = 10
/** What is asked of those who fail that often. */
const pair = { limit: 10, per_ms: minute }
const noisy = { limit: 100, per_ms: 2_000 }

/**
 * Who is looked at, who has to come again. Failures count for (address, client id) first and then for the address, and
 * those who fail often take from a bucket of their own, so that a right secret is not refused because of the wrong ones of
 * a neighbour: behind one address there may be a whole site. A credential that was right or wrong a moment ago is told by
 * its digest, before anything is taken or asked.
 */
export function admission(
  limits: Pick<Limits, 'connect_rate' | 'connect_burst' | 'device_connects' | 'wrong_secrets'>,
  now: () => number = performance.now.bind(performance),
) {
  const clock = { elapsed: now }
  const everybody = tokenBucket(limits.connect_rate, limits.connect_burst, now)
  const ofDevice = rateLimiter(clock, { limit: limits.device_connects, per_ms: limits.device_connects * own_ms })
  const ofPair = rateLimiter(clock, pair)
  const ofAddress = rateLimiter(clock, noisy)
  const failures = perMinute<number>(now)
  const wrong = perMinute<true>(now)
  /** Digest of the secret with which a device connected last. */
  const right = new Map<string, string>()

  return {
    judge(credential: Credential): Verdict {
      const { address, kid } = credential
      const digest = digestOf(credential)
      if (wrong.get(`${kid} ${digest}`)) return 'wrong'
      if (right.get(kid) === digest) return ofDevice.take(kid) === 0 && everybody() ? 'ask' : 'busy'
      if ((failures.get(`${address} ${kid}`) ?? 0) >= pair_failures)
        return ofPair.take(`${address} ${kid}`) === 0 ? 'ask' : 'busy'
      if ((failures.get(address) ?? 0) >= limits.wrong_secrets) return ofAddress.take(address) === 0 ? 'ask' : 'busy'
      return everybody() ? 'ask' : 'busy'
    },
    /** What the server said of it. */
    settle(credential: Credential, is_right: boolean): void {
      const { address, kid } = credential
      const digest = digestOf(credential)
      if (is_right) {
        right.delete(kid)
        right.set(kid, digest)
        if (right.size > most_remembered) right.delete(right.keys().next().value!)
        return
      }
      if (right.get(kid) === digest) right.delete(kid)
      wrong.set(`${kid} ${digest}`, true)
      const of_pair = (failures.get(`${address} ${kid}`) ?? 0) + 1
      failures.set(`${address} ${kid}`, of_pair)
      // One device alone does not make its whole site suspect.
      if (of_pair <= pair_failures) failures.set(address, (failures.get(address) ?? 0) + 1)
    },
    /** What was wrong for this device may be right now: its quarantine was lifted, or it has another secret. */
    forget: (kid: string): void => wrong.drop((key) => key.startsWith(`${kid} `)),
  }
}

const digestOf = ({ kid, secret }: Credential): string =>
  createHash('sha256').update(kid).update('\0').update(secret).digest('base64')

/** Starts over every minute; of too many keys the oldest go, so that memory is bounded. */
function perMinute<V>(now: () => number) {
  let since = now()
  const values = new Map<string, V>()
  const turn = () => {
    if (now() - since < minute) return
    values.clear()
    since = now()
  }
  return {
    get(key: string): V | undefined {
      turn()
      return values.get(key)
    },
    drop(isGone: (key: string) => boolean): void {
      for (const key of values.keys()) if (isGone(key)) values.delete(key)
    },
    set(key: string, value: V): void {
      turn()
      values.set(key, value)
      if (values.size > most_remembered) values.delete(values.keys().next().value!)
    },
  }
}
