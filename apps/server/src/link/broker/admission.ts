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

/** Counts failures by address within a minute; memory is bounded by starting over every minute. */
export function failuresByAddress(limit: number, now: () => number = performance.now.bind(performance)) {
  let since = now()
  const failures = new Map<string, number>()
  const turn = () => {
    if (now() - since < 60_000) return
    failures.clear()
    since = now()
  }
  return {
    isBlocked(address: string): boolean {
      turn()
      return (failures.get(address) ?? 0) >= limit
    },
    add(address: string): void {
      turn()
      failures.set(address, (failures.get(address) ?? 0) + 1)
    },
  }
}
