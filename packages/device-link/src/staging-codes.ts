import { stagingLimits, StagingFault } from './staging.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
const valueOf = new Map([...alphabet].map((character, at) => [character, at]))

/** RFC 9285: two bytes as three characters, all of which a QR code holds in its alphanumeric mode. */
export function base45(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 2) {
    const is_pair = at + 1 < bytes.length
    const value = is_pair ? bytes[at]! * 256 + bytes[at + 1]! : bytes[at]!
    text += alphabet[value % 45]! + alphabet[Math.floor(value / 45) % 45]!
    if (is_pair) text += alphabet[Math.floor(value / 2025)]!
  }
  return text
}

/** @throws StagingFault */
export function fromBase45(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor(text.length / 3) * 2 + (text.length % 3 === 0 ? 0 : 1))
  let to = 0
  for (let at = 0; at < text.length; at += 3) {
    const digits = [...text.slice(at, at + 3)].map((character) => valueOf.get(character) ?? Number.NaN)
    const value = digits.reduce((sum, digit, place) => sum + digit * 45 ** place, 0)
    const is_pair = digits.length === 3
    if (digits.length === 1 || !(value < (is_pair ? 65_536 : 256)))
      throw new StagingFault('corrupt', 'The code was not read right')
    if (is_pair) bytes[to++] = value >> 8
    bytes[to++] = value & 255
  }
  return bytes
}

/** CRC-32 of ISO 3309, as in ZIP. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
const hexOf = (crc: number): string => crc.toString(16).toUpperCase().padStart(8, '0')

type Part = { id: string; at: number; of: number; bytes: Uint8Array }

const headOf = ({ id, at, of }: Omit<Part, 'bytes'>): string => `MDM1:${id}:${at}/${of}:`

/** A part names its sequence, its place and its own checksum, so that a part of another one is told at once. */
function checksumOf(part: Part): Uint8Array {
  const head = new TextEncoder().encode(headOf(part))
  const bytes = new Uint8Array(head.length + part.bytes.length)
  bytes.set(head)
  bytes.set(part.bytes, head.length)
  const crc = crc32(bytes)
  return Uint8Array.of(crc >>> 24, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255)
}

/** The texts of the codes of an envelope; undefined where it takes more than `stagingLimits.codes`. */
export function codesOf(envelope: Uint8Array, code_bytes: number = stagingLimits.code_bytes): string[] | undefined {
  const of = Math.max(1, Math.ceil(envelope.length / code_bytes))
  if (of > stagingLimits.codes) return undefined
  // All of them about as dense: the last is no smaller picture than the others.
  const each = Math.ceil(envelope.length / of)
  const id = hexOf(crc32(envelope))
  return Array.from({ length: of }, (_, index) => {
    const part = { id, at: index + 1, of, bytes: envelope.slice(index * each, (index + 1) * each) }
    const checked = new Uint8Array(part.bytes.length + 4)
    checked.set(checksumOf(part))
    checked.set(part.bytes, 4)
    return headOf(part) + base45(checked)
  })
}

const shape = /^MDM1:([0-9A-F]{8}):([1-9]\d?)\/([1-9]\d?):([0-9A-Z $%*+./:-]+)$/

export const isStagingCode = (text: string): boolean => text.startsWith('MDM1:')

/** One part. @throws StagingFault */
export function readCode(text: string): Part {
  if (!isStagingCode(text)) throw new StagingFault('not_a_code', 'This is no staging code')
  const [, id, at, of, body] = shape.exec(text) ?? []
  const checked = body === undefined ? undefined : fromBase45(body)
  const part = { id: id ?? '', at: Number(at), of: Number(of), bytes: checked?.slice(4) ?? new Uint8Array() }
  const is_right =
    checked !== undefined &&
    checked.length > 4 &&
    part.bytes.length <= stagingLimits.label_bytes &&
    part.of <= stagingLimits.codes &&
    part.at <= part.of &&
    checksumOf(part).every((byte, index) => byte === checked[index])
  if (!is_right) throw new StagingFault('corrupt', 'The code was not read right: scan it again')
  return part
}

/** Texts of parts by their place, of sequences that are not whole yet, by their id; as JSON it can be kept on disk. */
export type HeldCodes = Record<string, { of: number; parts: Record<string, string> }>
export type Collected = {
  held: HeldCodes
  id: string
  of: number
  /** Places that are still to be scanned. */
  missing: number[]
  /** Once nothing is missing. */
  envelope?: Uint8Array
}

/** Puts a text to what was scanned before, in whatever order. @throws StagingFault; what is held stays as it was then. */
export function collectCode(before: HeldCodes, text: string): Collected {
  const { id, at, of } = readCode(text)
  const known = before[id]
  if (known && (known.of !== of || (known.parts[at] !== undefined && known.parts[at] !== text)))
    throw new StagingFault('mixed', 'This code belongs to another sequence')
  const parts: Record<string, string> = { ...known?.parts, [at]: text }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((place) => parts[place] === undefined)
  const { [id]: _, ...others } = before
  const oldest = Object.entries(others).slice(-(stagingLimits.sequences - 1))
  if (missing.length > 0) return { held: { ...Object.fromEntries(oldest), [id]: { of, parts } }, id, of, missing }
  const pieces = Array.from({ length: of }, (__, index) => readCode(parts[index + 1]!).bytes)
  const envelope = Uint8Array.from(pieces.flatMap((piece) => [...piece]))
  if (hexOf(crc32(envelope)) !== id) throw new StagingFault('mixed', 'These codes do not belong together')
  return { held: others, id, of, missing, envelope }
}
