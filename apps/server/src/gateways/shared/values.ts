/** Reading of what an agent says: a field that is wrong is as if it were not there, as a refusal would make it come again for ever. */

export type Part = Record<string, unknown>

export const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {}
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
/** Undefined of what is no text or empty; without what no column holds. */
export const textOf = (value: unknown, most: number): string | undefined =>
  (typeof value === 'string' && value.slice(0, most).replaceAll('\0', '').toWellFormed().trim()) || undefined
export const textsOf = (value: unknown, most: number): string[] =>
  listOf(value)
    .slice(0, 100)
    .flatMap((each) => textOf(each, most) ?? [])
export const within = (value: unknown, least: number, most: number): number | undefined => {
  const number = numberOf(value)
  return number !== undefined && number >= least && number <= most ? number : undefined
}
export const whole = (value: unknown): number | undefined => {
  const number = within(value, 0, Number.MAX_SAFE_INTEGER)
  return number === undefined ? undefined : Math.round(number)
}
/** Without what is not known, or nothing at all. */
export function known<T extends object>(part: T): { [K in keyof T]: Exclude<T[K], undefined> } | undefined {
  const entries = Object.entries(part).filter(([, value]) => value !== undefined)
  return entries.length === 0
    ? undefined
    : (Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> })
}
export const dateOf = (ms: number): Date | undefined =>
  ms >= 0 && ms <= Date.UTC(9999, 11, 31) ? new Date(ms) : undefined
