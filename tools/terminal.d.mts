export const root: string
export function step(text: string): void
