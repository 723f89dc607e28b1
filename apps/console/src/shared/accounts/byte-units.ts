export const sizes = { MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const
export type Unit = keyof typeof sizes

export const bytesIn = (number: number, unit: Unit): number => Math.round(number * sizes[unit])

/** The largest unit in which a size is at most two decimals. */
export function unitOf(bytes: number): Unit {
  const isShort = (unit: Unit) => bytes >= sizes[unit] && Number.isInteger((bytes * 100) / sizes[unit])
  return (['TB', 'GB'] as const).find(isShort) ?? (bytes === 0 ? 'GB' : 'MB')
}
