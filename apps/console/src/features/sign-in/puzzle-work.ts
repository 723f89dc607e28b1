import { beginsWithZeros, workText } from '@mdm/contract'
import { sha1 } from '../../lib/sha1.ts'

/** Hashes between two looks at the screen: some milliseconds. */
const at_once = 500

/** What the answer to a puzzle must come with; computed while the person slides, without holding up the page. */
export async function workFor(puzzle_kid: string, bits: number): Promise<string> {
  if (bits === 0) return ''
  for (let work = 0; ; work++) {
    if (work % at_once === 0) await new Promise((resolve) => setTimeout(resolve))
    if (beginsWithZeros(sha1(workText(puzzle_kid, String(work))), bits)) return String(work)
  }
}
