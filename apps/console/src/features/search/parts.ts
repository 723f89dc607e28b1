export type Part = { part: string; is_match: boolean }

/** A text cut where the wanted one stands in it, whatever the case. */
export function partsOf(text: string, wanted: string): Part[] {
  const needle = wanted.trim().toLowerCase()
  const hay = text.toLowerCase()
  // Lower case may be longer than what it came from ('İ'): then nothing can be cut by position.
  if (!needle || hay.length !== text.length) return [{ part: text, is_match: false }]
  const parts: Part[] = []
  let from = 0
  for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, from)) {
    if (at > from) parts.push({ part: text.slice(from, at), is_match: false })
    from = at + needle.length
    parts.push({ part: text.slice(at, from), is_match: true })
  }
  if (from < text.length) parts.push({ part: text.slice(from), is_match: false })
  return parts
}
