import { refuse } from '../../refusal.ts'
/** Longer than any tag of a sheet. */
const tag_chars = 65_536
const comment_chars = 1_048_576
const slash = 0x2f

export type XmlHandler = {
  /** `name` is without its prefix; `attributes` is the text between the name and the end of the tag. */
  open(name: string, attributes: string): void
  close(name: string): void
  /** Raw text, in as many pieces as it comes in: `decoded` when it is complete. */
  text(raw: string): void
}

/**
 * Calls the handler tag by tag while the document arrives; no tree is built. Document types, and with them entities of
 * one's own, are refused: no sheet has any.
 */
export async function scanXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler, tags_max: number): Promise<void> {
  const scanner = new Scanner(handler, tags_max)
  for await (const chunk of chunks) scanner.write(chunk)
  scanner.end()
}

export class Scanner {
  readonly #handler: XmlHandler
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #rest = ''
  #tags_left: number

  constructor(handler: XmlHandler, tags_max: number) {
    this.#handler = handler
    this.#tags_left = tags_max
  }

  write(chunk: Buffer): void {
    this.#rest = this.#scan(this.#rest + this.#decoded(chunk))
  }

  end(): void {
    if (this.#rest.trim() !== '') refuse('sheet_damaged')
  }

  #decoded(chunk: Buffer): string {
    try {
      return this.#decoder.decode(chunk, { stream: true })
    } catch {
      return refuse('sheet_damaged')
    }
  }

  /** Everything that is complete; what is not is returned. */
  #scan(text: string): string {
    let at = 0
    for (;;) {
      const start = text.indexOf('<', at)
      if (start < 0) {
        if (at < text.length) this.#handler.text(text.slice(at))
        return ''
      }
      if (start > at) this.#handler.text(text.slice(at, start))
      const end = this.#tag(text, start)
      if (end === undefined) return text.slice(start)
      at = end
    }
  }

  /** Where the tag that begins at `start` ends, or undefined when that is still to come. */
  #tag(text: string, start: number): number | undefined {
    const kind = text.charCodeAt(start + 1)
    if (Number.isNaN(kind)) return undefined
    if (kind === 0x3f) return endOf(text, '?>', start, tag_chars)
    if (kind === 0x21) return this.#special(text, start)
    const end = endOfTag(text, start)
    if (end === undefined) return text.length - start > tag_chars ? refuse('sheet_damaged') : undefined
    if ((this.#tags_left -= 1) < 0) refuse('sheet_beyond_limits')
    const is_close = kind === slash
    const name_start = is_close ? start + 2 : start + 1
    const is_empty = !is_close && text.charCodeAt(end - 1) === slash
    const last = is_empty ? end - 1 : end
    const name_end = endOfName(text, name_start, last)
    const name = localName(text, name_start, name_end)
    if (!is_close) this.#handler.open(name, name_end === last ? '' : text.slice(name_end, last))
    if (is_close || is_empty) this.#handler.close(name)
    return end + 1
  }

  #special(text: string, start: number): number | undefined {
    const [comment, cdata] = ['<!--', '<![CDATA[']
    if (text.startsWith(comment, start)) return endOf(text, '-->', start + comment.length, comment_chars)
    if (text.startsWith(cdata, start)) {
      const end = endOf(text, ']]>', start + cdata.length, comment_chars)
      if (end !== undefined) this.#handler.text(text.slice(start + cdata.length, end - 3).replaceAll('&', '&amp;'))
      return end
    }
    const is_begun = [comment, cdata].some((mark) => mark.startsWith(text.slice(start)))
    return is_begun ? undefined : refuse('sheet_damaged')
  }
}

function endOf(text: string, mark: string, from: number, max: number): number | undefined {
  const end = text.indexOf(mark, from)
  if (end >= 0) return end + mark.length
  return text.length - from > max ? refuse('sheet_damaged') : undefined
}

/** The `>` that stands in no quoted value. */
function endOfTag(text: string, start: number): number | undefined {
  let quote = 0
  for (let at = start + 1; at < text.length; at += 1) {
    const c = text.charCodeAt(at)
    if (quote !== 0) {
      if (c === quote) quote = 0
    } else if (c === 0x22 || c === 0x27) quote = c
    else if (c === 0x3e) return at
  }
  return undefined
}

function endOfName(text: string, start: number, end: number): number {
  let at = start
  while (at < end && text.charCodeAt(at) > 0x20) at += 1
  return at
}

function localName(text: string, start: number, end: number): string {
  const name = text.slice(start, end)
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

const patterns = new Map<string, RegExp>()

/** An attribute's value, by its name with or without a prefix. */
export function attribute(attributes: string, name: string): string | undefined {
  if (attributes === '') return undefined
  const pattern = patterns.get(name) ?? new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  patterns.set(name, pattern)
  const found = pattern.exec(attributes)
  return found ? decoded(found[1] ?? found[2] ?? '') : undefined
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** With entities as the characters they stand for. */
export const withoutEntities = (raw: string): string =>
  raw.includes('&')
    ? raw
        .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) =>
          name
            ? (named[String(name).toLowerCase()] ?? whole)
            : character(decimal ? Number(decimal) : parseInt(String(hex), 16)),
        )
        .toWellFormed()
    : raw

/** The same for text of XLSX, where `_x000D_` is one's own way to write control characters. */
export const decoded = (raw: string): string => {
  const text = withoutEntities(raw)
  return text.includes('_x')
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => character(parseInt(hex, 16))).toWellFormed()
    : text
}

const character = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD')
