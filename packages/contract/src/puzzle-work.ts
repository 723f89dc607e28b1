/**
 * The work that a puzzle's answer must come with: `work`, so that the SHA-1 of `<puzzle_kid>:<work>` begins with so many
 * zero bits. SHA-1, because browsers compute it already where there is no `crypto.subtle`; here it only costs time.
 */
export const workText = (puzzle_kid: string, work: string): string => `${puzzle_kid}:${work}`

/** Whether a hash, in hex, begins with so many zero bits. */
export function beginsWithZeros(hash: string, bits: number): boolean {
  const whole = Math.floor(bits / 4)
  const rest = bits % 4
  return /^0*/.exec(hash)![0].length >= whole && (rest === 0 || parseInt(hash[whole]!, 16) < 2 ** (4 - rest))
}
