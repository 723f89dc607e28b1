/**
 * The one order of OS versions (docs/decisions/030): 3 or 4 numeric segments, then the suffix, then the version code, then
 * VER. What pushes call same, newer and older, and what lists sort by, is decided here and nowhere else.
 */

/** What names a version completely. A device that does not report its code or VER leaves them out. */
export type OsVersion = { os_version: string; version_code?: number | null; ver?: number | null }
/** A version number taken apart. Digits stay text: what a stranger writes may be longer than a number can hold. */
export type OsVersionParts = { segments: readonly string[]; suffix: readonly string[] }

export const os_version_max = 64
/** 9.00.123, 9.00.123.4, 9.00.123_CD01; the other format, a single letter behind the underscore, is a suffix as well. */
export const osVersionPattern = /^\d+(?:\.\d+){2,3}(?:_[A-Za-z0-9]+)?$/

/** How a package is written: a ZIP of the folder DOWNLOAD, or for the updater of others on the device that applies it. */
export const osFormats = ['zip', 'swu', 'raucb', 'mender'] as const
export type OsPackageFormat = (typeof osFormats)[number]

/** Undefined for what is no version of ours, such as "22.04" or "rolling". */
export function parseOsVersion(text: string): OsVersionParts | undefined {
  const trimmed = text.trim()
  if (trimmed.length > os_version_max || !osVersionPattern.test(trimmed)) return undefined
  const [numbers = '', suffix = ''] = trimmed.split('_')
  const segments = numbers.split('.').map(withoutZeros)
  return {
    // 9.0.1 and 9.0.1.0 are one version.
    segments: segments.length === 3 ? [...segments, '0'] : segments,
    suffix: (suffix.toUpperCase().match(/\d+|[A-Z]+/g) ?? []).map((run) => (/\d/.test(run) ? withoutZeros(run) : run)),
  }
}

/**
 * Below 0 when `a` is older than `b`, above 0 when it is newer, 0 when both are the same; a total order, so that it may sort.
 * What is no version of ours is older than all that are, and ordered by its text; a missing code or VER is below every other.
 */
export const compareOsVersions = (a: OsVersion, b: OsVersion): number =>
  compareNumbers(a.os_version, b.os_version) ||
  (a.version_code ?? -1) - (b.version_code ?? -1) ||
  (a.ver ?? -1) - (b.ver ?? -1)

/** What a version is for a device: `unknown` where the device reports none that can be compared. */
export type OsStanding = 'same' | 'newer' | 'older' | 'unknown'

/**
 * Whether `target` is newer than what the device runs. Compared is what both say: a device that does not report its version
 * code or VER has the same version, not an older one, or it would be sent what it has again and again.
 */
export function osStanding(device: OsVersion, target: OsVersion): OsStanding {
  if (!parseOsVersion(device.os_version) || !parseOsVersion(target.os_version)) return 'unknown'
  const have_both = (field: 'version_code' | 'ver'): boolean => device[field] != null && target[field] != null
  const known = ({ os_version, version_code, ver }: OsVersion): OsVersion => ({
    os_version,
    version_code: have_both('version_code') ? version_code! : null,
    ver: have_both('ver') ? ver! : null,
  })
  const order = compareOsVersions(known(target), known(device))
  if (order === 0) return 'same'
  return order > 0 ? 'newer' : 'older'
}

function compareNumbers(a: string, b: string): number {
  const left = parseOsVersion(a)
  const right = parseOsVersion(b)
  if (!left || !right) return left ? 1 : right ? -1 : compareTexts(a.trim(), b.trim())
  return compareRuns(left.segments, right.segments) || compareRuns(left.suffix, right.suffix)
}

/** Run by run; where one ends the longer is newer, so that no suffix is older than any. */
function compareRuns(a: readonly string[], b: readonly string[]): number {
  for (const [at, run] of a.entries()) {
    const other = b[at]
    if (other === undefined) return 1
    const order = compareRun(run, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Digits by their value, letters by the alphabet, digits before letters: CD9 is older than CD10, and 1 than A. */
function compareRun(a: string, b: string): number {
  const are_digits = [isDigits(a), isDigits(b)]
  if (are_digits[0] !== are_digits[1]) return are_digits[0] ? -1 : 1
  return (are_digits[0] ? a.length - b.length : 0) || compareTexts(a, b)
}

const isDigits = (run: string): boolean => /^\d/.test(run)
const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
