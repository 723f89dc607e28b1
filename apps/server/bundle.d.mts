export const programs: Record<string, string>
export function bundle(entryPoints: Record<string, string>, outdir: string): Promise<unknown>
