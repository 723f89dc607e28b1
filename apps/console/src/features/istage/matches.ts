import { RE2JS } from 're2js'

const compiled = new Map<string, RE2JS>()

/** As the server matches: in time that is linear in the text. Only the wizard loads this. */
export function matches(pattern: string, value: string): boolean {
  const program = compiled.get(pattern) ?? RE2JS.compile(pattern)
  compiled.set(pattern, program)
  return program.matches(value)
}
