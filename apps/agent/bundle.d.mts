export const dist: string
export const version: string
export function bundleAgent(outdir?: string, as?: string): Promise<string>
