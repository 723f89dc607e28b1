export const flags: string[]
export const environment: Record<string, string>
export function packDebian(of: { bundle: string; out: string; has_node?: boolean; as?: string; node?: string }): string
