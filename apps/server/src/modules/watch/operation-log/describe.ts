type Shown = { table_name: string; change: string }

type Row = { operator_kid: string | null; operator_name: string; operator_username: string }

/** What changed, in one text; of a refused operation the fields that were wrong. */
export function detailOf(tracks: readonly Shown[], response: string): string {
  if (tracks.length > 0) return tracks.map(({ table_name, change }) => `${table_name}: ${change}`).join('\n')
  try {
    const { fields } = JSON.parse(response) as { fields?: Record<string, string> }
    return Object.entries(fields ?? {})
      .map(([field, message]) => `${field}: ${message}`)
      .join('\n')
  } catch {
    // An answer that was cut is no JSON any more, and nothing at all is none either.
    return ''
  }
}

/** Nobody uploads a picture here: the initials on a colour that is the same for a person wherever they are seen. */
export function pictureOf({ operator_kid, operator_name, operator_username }: Row): string {
  const words = (operator_name || operator_username).split(/\s+/).filter(Boolean)
  const initials = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  const text = initials
    .map((word) => [...word][0]!.toUpperCase())
    .join('')
    .replace(/[<>&"']/g, '')
  const hue = [...(operator_kid ?? operator_username)].reduce((sum, c) => (sum * 31 + c.codePointAt(0)!) % 360, 7)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="20" fill="hsl(${hue} 45% 38%)"/><text x="20" y="26" font-family="sans-serif" font-size="16" fill="#fff" text-anchor="middle">${text}</text></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
