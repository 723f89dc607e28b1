/** Keys that a text can name. */
const named: Readonly<Record<string, number>> = { '\n': 0xff_0d, '\t': 0xff_09, '\b': 0xff_08 }

/**
 * What an X server calls the key that writes a character: Latin-1 has its own numbers, all others those of Unicode, so that
 * Vietnamese and Chinese are typed without a keyboard that has them. Undefined is what no key writes.
 */
export function keysymOf(character: string): number | undefined {
  const key = named[character]
  if (key !== undefined) return key
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return undefined
  return code <= 0xff ? code : 0x01_00_00_00 + code
}

/** Keys of a whole text, each accented letter as one. */
export const keysymsOf = (text: string): number[] =>
  [...text.replaceAll(/\r\n?/g, '\n').normalize('NFC')].flatMap((character) => keysymOf(character) ?? [])
