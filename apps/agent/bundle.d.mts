export const dist: string
export function bundleAgent(outdir?: string): Promise<string>
