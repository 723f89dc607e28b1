export type FileTime = { file: string; ms: number }
export const slowFrom: { unit: number; browser: number }
export function linesOfSlowFiles(part: 'unit' | 'browser', times: readonly FileTime[]): string[]
