// What a run says of its slowest files. It fails none of them: the same file takes longer on a busier machine.

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
