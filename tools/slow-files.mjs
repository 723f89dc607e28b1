// What a run says of its slowest files and waits. It fails none of them: the same takes longer on a busier machine.

/** Seconds beyond which a file is named as a defect: it is split, or waits where it need not. */
export const slowFrom = { unit: 20, browser: 120 }

/** Lines about the ten slowest files of a part, and one for each file that takes too long. */
export function linesOfSlowFiles(part, times) {
  const bySlowness = times.toSorted((a, b) => b.ms - a.ms)
  const seconds = (ms) => `${Math.round(ms / 1000)} s`
  return [
    ...bySlowness.slice(0, 10).map(({ file, ms }) => `${seconds(ms).padStart(6)}  ${file}`),
    ...bySlowness
      .filter(({ ms }) => ms > slowFrom[part] * 1000)
      .map(({ file, ms }) => `slow: ${file} ${seconds(ms)} (more than ${slowFrom[part]} s)`),
  ]
}

/** Lines about the ten longest waits of a run in the browser, each by its longest time: one that nears its patience fails next. */
export function linesOfWaits(waits) {
  const longest = new Map()
  for (const wait of waits.toSorted((a, b) => a.ms - b.ms)) longest.set(wait.at, wait)
  return [...longest.values()]
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ at, what, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${at}  ${what}`)
}
