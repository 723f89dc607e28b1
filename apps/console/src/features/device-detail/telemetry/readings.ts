/** Readings come as the device sent them: every one may be missing or of another type. */
export type Parts = Readonly<Record<string, unknown>> | null | undefined

export const numberIn = (parts: Parts, name: string): number | null => {
  const value = parts?.[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
export const textIn = (parts: Parts, name: string): string | null => {
  const value = parts?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}
export const flagIn = (parts: Parts, name: string): boolean | null => {
  const value = parts?.[name]
  return typeof value === 'boolean' ? value : null
}
/** Used over total, 0 to 1; null without a total. */
export const shareOf = (used: number | null, total: number | null): number | null =>
  used === null || total === null || total <= 0 ? null : used / total
