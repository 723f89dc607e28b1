import { pushLimits } from '@mdm/contract'
import { pastedParts } from '../../ui/list/pasted.ts'

/** A list of SNs, as it was pasted or read from a file. */
export type SnList = {
  text: string
  /** Each once, whatever its case. */
  sns: readonly string[]
  file: string | undefined
  /** What cannot be an SN. */
  wrong: readonly string[]
}
export const snLimits = { sns: pushLimits.sns, bytes: 8 * 1024 ** 2, length: 36 } as const
export type SnFault = 'too_large' | 'not_text' | 'empty' | 'too_many'

const control = /\p{Cc}/u
/** The first of each, in their order; what is too long for an SN or holds control characters apart. */
export function snsOf(parts: readonly string[]): Pick<SnList, 'sns' | 'wrong'> {
  const sns = new Map<string, string>()
  const wrong: string[] = []
  for (const part of parts) {
    const sn = part.trim()
    if (sn === '') continue
    if (sn.length > snLimits.length || control.test(sn)) wrong.push(sn)
    else if (!sns.has(sn.toLowerCase())) sns.set(sn.toLowerCase(), sn)
  }
  return { sns: [...sns.values()], wrong }
}

/** One below the other, or with commas or spaces between them. */
export const snsOfText = (text: string): SnList => ({ text, file: undefined, ...snsOf(pastedParts(text)) })

const heads = new Set(['sn', 'serial number', 'serial', 'số sê-ri', '序列号'])
/** The first column of a .csv or .txt file, without its head. */
export function firstColumn(text: string): string[] {
  const cells = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => (/^\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))/.exec(line) ?? []) as (string | undefined)[])
    .map(([, quoted, plain]) => (quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"')).trim())
    .filter(Boolean)
  return heads.has((cells[0] ?? '').toLowerCase()) ? cells.slice(1) : cells
}

/** Read in the browser; nothing of it is sent but the SNs. */
export async function snsOfFile(file: File): Promise<SnList | SnFault> {
  if (file.size > snLimits.bytes) return 'too_large'
  const bytes = new Uint8Array(await file.arrayBuffer())
  // What spreadsheets call Unicode text is UTF-16.
  const is_utf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = new TextDecoder(is_utf16 ? 'utf-16le' : 'utf-8').decode(bytes)
  // A workbook or a picture under another name.
  if (text.includes('\u0000')) return 'not_text'
  const found = snsOf(firstColumn(text))
  if (found.sns.length === 0) return 'empty'
  return found.sns.length > snLimits.sns ? 'too_many' : { text: '', file: file.name, ...found }
}
