import { formatValue, isDateFormat } from 'hucre'
import { refuse } from '../../refusal.ts'
import type { Package } from './package.ts'
import { attribute, scanXml } from './xml.ts'

const part_bytes = 8 * 1024 ** 2
const tags_max = 300_000
/** Excel keeps this many digits of a number; the rest it has replaced by zeros. */
const exact_below = 1e15
/** Of Excel itself; a longer one would be gone through for every cell. */
const code_chars = 255
/** Of the formats of all cells together: each is gone through for each of its cells. */
const all_code_chars = 8 * 1024 ** 2

/** The formats that have no text in the file. */
const built_in: Record<number, string> = { 1: '0', 2: '0.00', 9: '0%', 10: '0.00%', 49: '@' }
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

export type NumberText = { text: string; fault?: 'date' | 'rounded' }
/** A number as a cell of this style shows it. */
export type Formats = (value: string, style: number) => NumberText

/** Reads how the cells of a workbook show their numbers. */
export async function readFormats(parts: Package, name: string | undefined, is_1904: boolean): Promise<Formats> {
  const codes = new Map<number, string>()
  const ids: number[] = []
  let is_in_cells = false
  if (name !== undefined && parts.has(name))
    await scanXml(
      parts.read(name, part_bytes),
      {
        open(tag, attributes) {
          if (tag === 'numFmt') {
            const code = attribute(attributes, 'formatCode') ?? ''
            if (code.length > code_chars) refuse('sheet_damaged')
            codes.set(Number(attribute(attributes, 'numFmtId')), code)
          } else if (tag === 'cellXfs') is_in_cells = true
          else if (tag === 'xf' && is_in_cells) ids.push(Number(attribute(attributes, 'numFmtId') ?? 0))
        },
        close(tag) {
          if (tag === 'cellXfs') is_in_cells = false
        },
        text() {},
      },
      tags_max,
    )
  const dates = new Map<number, boolean>()
  const isDate = (id: number): boolean => {
    const known = dates.get(id) ?? (codes.has(id) ? isDateFormat(codes.get(id)!) : isBuiltInDate(id))
    dates.set(id, known)
    return known
  }
  let chars = 0
  return (value, style) => {
    const id = ids[style] ?? 0
    if (isDate(id)) return { text: dayOf(Number(value) + (is_1904 ? days_to_1904 : 0)), fault: 'date' }
    const code = codes.get(id) ?? built_in[id] ?? ''
    if ((chars += code.length) > all_code_chars) refuse('sheet_beyond_limits')
    return shown(value, code)
  }
}

const days_to_1904 = 1_462

/** 2026-01-31, for columns that are meant to hold days; empty when that is none that Excel knows. */
function dayOf(serial: number): string {
  const last = 2_958_465
  if (!(serial >= 1 && serial <= last)) return ''
  return new Date(Date.UTC(1899, 11, 30) + Math.floor(serial) * 86_400_000).toISOString().slice(0, 10)
}

function shown(value: string, code: string): NumberText {
  const number = Number(value)
  if (!Number.isFinite(number)) return { text: value }
  if (Math.abs(number) >= exact_below) return { text: '', fault: 'rounded' }
  return { text: isPadded(code) ? formatValue(number, code) : String(number) }
}

/**
 * Whether the format adds digits or letters that are part of what is shown: 000000, "SN-"0000. Separators and signs are
 * decoration; a serial number has none.
 */
function isPadded(code: string): boolean {
  const [whole = ''] = code.split(';', 1)[0]!.split('.', 1)
  return /0[^,]*0|"|\\/.test(whole) && !/[%,Ee*]/.test(whole.replaceAll(/"[^"]*"/g, ''))
}
