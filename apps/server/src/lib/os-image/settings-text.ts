import { beyondLimits, invalid } from '../apk/source.ts'

/** Numbers and booleans stay texts. */
export type Setting = string | Setting[] | { [key: string]: Setting }

const depth_max = 30
const values_max = 20_000
const token =
  /\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<string>"(?:[^"\\]|\\[\s\S])*")|(?<mark>[{}()[\]=:;,])|(?<word>[^\s{}()[\]=:;,"#]+)/y

/** Settings in the notation of libconfig or in JSON, which has the same marks. Throws ApkError. */
export function readSettings(text: string): Setting {
  const tokens = tokensOf(text)
  let at = 0
  const value = (depth: number): Setting => {
    if (depth > depth_max) throw beyondLimits('settings in settings')
    const begun = tokens[at++]
    if (begun === '{') return group(depth, '}')
    if (begun === '(' || begun === '[') return list(depth, begun === '(' ? ')' : ']')
    if (begun === undefined || isMark(begun)) throw invalid('a setting has no value')
    let said = textOf(begun)
    // Strings side by side are one.
    while (begun.startsWith('"') && tokens[at]?.startsWith('"')) said += textOf(tokens[at++]!)
    return said
  }
  const group = (depth: number, end: string | undefined): Setting => {
    const found: Record<string, Setting> = Object.create(null) as Record<string, Setting>
    for (;;) {
      while (tokens[at] === ';' || tokens[at] === ',') at += 1
      const key = tokens[at++]
      if (key === end) return found
      if (key === undefined || isMark(key)) throw invalid('a setting has no name')
      if (tokens[at] !== '=' && tokens[at] !== ':') throw invalid(`${key} has no value`)
      at += 1
      found[textOf(key)] = value(depth + 1)
    }
  }
  const list = (depth: number, end: string): Setting => {
    const found: Setting[] = []
    for (;;) {
      while (tokens[at] === ',') at += 1
      if (tokens[at] === end) break
      found.push(value(depth + 1))
    }
    at += 1
    return found
  }
  return tokens[0] === '{' ? value(0) : group(0, undefined)
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (token.lastIndex = 0; token.lastIndex < text.length;) {
    const found = token.exec(text)
    if (!found) throw invalid('the settings cannot be read')
    const { string, mark, word } = found.groups!
    const one = string ?? mark ?? word
    if (one !== undefined) tokens.push(one)
    if (tokens.length > values_max) throw beyondLimits('too many settings')
  }
  return tokens
}

const isMark = (text: string): boolean => text.length === 1 && '{}()[]=:;,'.includes(text)
const textOf = (said: string): string =>
  said.startsWith('"') ? said.slice(1, -1).replaceAll(/\\([\s\S])/g, (_, c: string) => escapes[c] ?? c) : said
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', f: '\f' }
