import { invalid } from '../apk/source.ts'

type Element = { tag: number; start: number; end: number; next: number }

const depth_max = 20
const sequence = 0x30
const explicit_0 = 0xa0
const octets = 0x04
const octets_in_parts = 0x24
const data = '2a864886f70d0107'
const signed_data = `${data}02`
const enveloped_data = `${data}03`

/** What a CMS message signs, where it is in it; undefined where it stands apart or is encrypted. Throws ApkError of what is none. */
export function cmsContent(ber: Buffer): Buffer | undefined {
  const [type, content] = childrenOf(ber, elementAt(ber, 0))
  const oid = type && ber.toString('hex', type.start, type.end)
  if (oid === enveloped_data) return undefined
  if (oid !== signed_data || content?.tag !== explicit_0) throw invalid('its signature is no CMS')
  const [signed] = childrenOf(ber, content)
  const encapsulated = signed && childrenOf(ber, signed).find(({ tag }) => tag === sequence)
  if (!encapsulated) throw invalid('its signature is no CMS')
  const [, within] = childrenOf(ber, encapsulated)
  const [text] = within ? childrenOf(ber, within) : []
  if (!text) return undefined
  if (text.tag === octets) return ber.subarray(text.start, text.end)
  if (text.tag !== octets_in_parts) throw invalid('its signature is no CMS')
  return Buffer.concat(childrenOf(ber, text).map(({ start, end }) => ber.subarray(start, end)))
}

/** One that does not say its length ends with two zero bytes. */
function elementAt(ber: Buffer, at: number, end = ber.length, depth = 0): Element {
  const tag = ber[at]
  const first = ber[at + 1]
  if (tag === undefined || first === undefined || at + 2 > end || depth > depth_max)
    throw invalid('its signature ends early')
  if (first === 0x80) {
    const start = at + 2
    let inner = start
    while (!(ber[inner] === 0 && ber[inner + 1] === 0)) inner = elementAt(ber, inner, end, depth + 1).next
    return { tag, start, end: inner, next: inner + 2 }
  }
  const more = first & 0x80 ? first & 0x7f : 0
  if (more > 4 || at + 2 + more > end) throw invalid('its signature ends early')
  const start = at + 2 + more
  const last = start + (more === 0 ? first : ber.readUIntBE(at + 2, more))
  if (last > end) throw invalid('its signature ends early')
  return { tag, start, end: last, next: last }
}

function childrenOf(ber: Buffer, { start, end }: Element): Element[] {
  const children: Element[] = []
  for (let at = start; at < end; at = children.at(-1)!.next) {
    if (children.length >= 1_000) throw invalid('its signature has too many parts')
    children.push(elementAt(ber, at, end))
  }
  return children
}
