import type { Matches } from '@mdm/contract/istage/index.ts'
import { RE2JS } from 're2js'
import { Refusal } from '../../../refusal.ts'

/** Instructions of one program: what `[^x]{1,500}` takes is about a thousand. */
const program_max = 1_200
/** Instructions times characters of all that one check matches: about half a second on a slow core. */
const work_max = 10_000_000

/**
 * Why the engine does not take a regular expression of a template; undefined where it does. RE2 needs time that is linear in the
 * text, so no template can hold up the server or a browser.
 */
export function refusalOfPattern(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize()
    return size > program_max ? `larger than ${program_max} instructions` : undefined
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /, '')
  }
}

/** Matches for one check. @throws `bad_input` when there is more to match than one check may take. */
export function matcher(): Matches {
  const compiled = new Map<string, RE2JS>()
  let work = 0
  return (pattern, value) => {
    const program = compiled.get(pattern) ?? RE2JS.compile(pattern)
    compiled.set(pattern, program)
    work += program.programSize() * value.length
    if (work > work_max) throw new Refusal('bad_input', {}, { private_content: { name: 'patterns_too_much' } })
    return program.matches(value)
  }
}
