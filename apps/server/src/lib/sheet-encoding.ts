import { refuse } from '../refusal.ts'

/** Undefined where the bytes are no text of this encoding. */
export function decodedAs(label: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** So much of a file is enough to tell its encoding by. */
const looked_at_bytes = 64 * 1024
const controls = /(?![\t\r\n\x80-\x9f])\p{Cc}/u

/**
 * The text of a CSV that Excel saved in the encoding of the machine: GBK in China, windows-1258 in Viet Nam, windows-1252 in
 * Western Europe. Undefined for what is no text. Refuses a text in another encoding, or in one that cannot be told.
 */
export function localText(bytes: Buffer): string | undefined {
  if (controls.test(bytes.toString('latin1'))) return undefined
  const first = bytes.findIndex((byte) => byte > 0x7f)
  const sample = bytes.toString('latin1', Math.max(0, first - 1), first + looked_at_bytes)
  const label = encodingOf(sample) ?? refuse('sheet_encoding_unknown')
  return (decodedAs(label, bytes) ?? refuse('sheet_encoding_unknown')).normalize('NFC')
}

/** `text` has one character for each byte. */
function encodingOf(text: string): 'gbk' | 'windows-1258' | 'windows-1252' | undefined {
  const runs = text.match(/[A-Za-z]?[\x80-\xff]+[A-Za-z]?/g) ?? []
  const sure = (fits: (run: string) => boolean, share: number) => runs.filter(fits).length >= share * runs.length
  // The usual signs of Chinese are pairs of high bytes, and stand beside Latin letters only now and then.
  if (sure((run) => usualChinese.test(run), 0.8) && sure((run) => !/[A-Za-z]/.test(run), 0.5)) return 'gbk'
  // Languages in Latin letters have at most two letters with marks after each other; other alphabets whole words of them.
  if (!sure((run) => /[A-Za-z]/.test(run) || marks.test(run), 0.9) || !runs.every(isLatin)) return undefined
  if (runs.some((run) => vietnamese.test(run)) && runs.every((run) => vietnameseOnly.test(run))) return 'windows-1258'
  return runs.every((run) => westernOnly.test(run)) ? 'windows-1252' : undefined
}

const usualChinese = /^[A-Za-z]?(?:[\xa1-\xa3\xb0-\xd7][\xa1-\xfe])+[A-Za-z]?$/
const isLatin = (run: string): boolean => !/[\xc0-\xff]{4}/.test(run)
/** Quotes, dashes, the euro, degrees: alike in both. */
const marks = /^[\x80\x82\x84\x85\x91-\x97\xa0\xa7\xa9\xab\xae\xb0-\xb5\xb7\xba\xbb\xbc-\xbe]+$/
/** \u0110, \u01b0 or \u01a1, or a tone after its vowel, which windows-1252 has other letters for. */
const vietnamese = /[\xd0\xf0\xdd\xfd\xd5\xf5]|[AEIOUYaeiouy\xc2\xe2\xca\xea\xd4\xf4\xc3\xe3][\xcc\xd2\xde\xec\xf2]/
/** The letters and tones of Vietnamese, with marks. */
const vietnameseOnly =
  /^[A-Za-z\x80-\xbf\xc0-\xc3\xc8-\xca\xcc\xcd\xd0\xd2-\xd5\xd9\xda\xdd\xde\xe0-\xe3\xe8-\xea\xec\xed\xf0\xf2-\xf5\xf9\xfa\xfd]+$/
/** The letters of German, French, Spanish, Portuguese, Italian and the Nordic languages, with marks. */
const westernOnly =
  /^[A-Za-z\x80\x82\x84\x85\x8c\x91-\x97\x9c\x9f-\xcf\xd1-\xd6\xd8-\xdc\xdf-\xef\xf1-\xf6\xf8-\xfc\xff]+$/
