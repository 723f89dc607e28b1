import { randomInt } from 'node:crypto'

/** Without I, L, O, 0 and 1: people read these codes from a small screen and type them. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** A registration code: 6 characters, some 30 bits; wrong guesses are counted (announcements.ts). */
export const newCode = (): string => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')

/** A character for every byte. */
export const codeOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')

/** As a person may type it: any case, with spaces or hyphens between. */
export const typedCode = (typed: string): string => typed.replace(/[\s-]/g, '').toUpperCase()
