const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Bytes as people read them, in steps of 1024 (specification, 9). */
export function bytesText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  return `${Number((bytes / 1024 ** step).toFixed(2))} ${units[step]}`
}
