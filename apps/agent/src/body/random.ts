/** The same numbers for the same seed, so that a demo or a failure can be had again (mulberry32). */
export function seeded(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (min: number, max: number): number => min + next() * (max - min),
    /** One of a list that is not empty. */
    pick: <const L extends readonly unknown[]>(list: L): L[number] => list[Math.floor(next() * list.length)],
    hex: (length: number): string => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join(''),
  }
}
export type Random = ReturnType<typeof seeded>
