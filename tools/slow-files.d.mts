export type FileTime = { file: string; ms: number }
export const slowFrom: { unit: number; browser: number }
export function linesOfSlowFiles(part: 'unit' | 'browser', times: readonly FileTime[]): string[]
export type Wait = { at: string; what: string; ms: number }
export function linesOfWaits(waits: readonly Wait[]): string[]
