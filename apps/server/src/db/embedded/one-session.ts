/**
 * The embedded database is one session shared by every connection of the pool. Whatever would outlive a
 * transaction in that session would be seen by strangers, so it is refused here, at the boundary.
 */
const suspicious = /\b(set|reset|discard|prepare|deallocate|execute|unlisten|load|temp|temporary|copy|declare)\b/i
const not_code = /'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g

const refused: [RegExp, string][] = [
  [/^set\s+(?!local\b|transaction\b|constraints\b)/i, 'use SET LOCAL inside a transaction'],
  [/^(reset|discard)\b/i, 'settings belong to a transaction here: SET LOCAL'],
  [/^(prepare|deallocate|execute)\b/i, 'named prepared statements are shared by every connection here'],
  [/^unlisten\b/i, 'LISTEN is shared by every connection here'],
  [/^load\b/i, 'libraries are loaded for every connection here'],
  [/^create\s+(?:local\s+|global\s+)?temp(?:orary)?\b(?![\s\S]*\bon\s+commit\s+drop\b)/i, 'add ON COMMIT DROP'],
  [/^declare\b[\s\S]*\bwith\s+hold\b/i, 'a cursor must end with its transaction'],
  [/^copy\b[\s\S]*\b(?:stdin|stdout)\b/i, 'COPY needs a stream that the embedded database has not'],
]

/** Why this statement may not be run on the embedded database, or undefined. */
export function refusal(statement: { name: string; text: string }): string | undefined {
  if (statement.name) return 'named prepared statements are shared by every connection here'
  if (!suspicious.test(statement.text)) return undefined
  for (const part of statement.text.replace(not_code, ' ').split(';')) {
    const text = part.trim()
    for (const [pattern, reason] of refused) if (pattern.test(text)) return reason
  }
  return undefined
}

/** Settings can also hide in a function call; the session is cleaned after such a statement. */
export const mayLeaveSettings = (statement: { text: string }) => /set_config/i.test(statement.text)
export const isListen = (statement: { text: string }) => /^\s*listen\b/i.test(statement.text)
