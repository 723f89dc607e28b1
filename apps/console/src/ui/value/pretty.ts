/** Indented where it is JSON, as it came where it is not. */
export function pretty(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2)
  } catch {
    return content
  }
}
