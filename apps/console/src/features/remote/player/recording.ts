/** A piece of a recording and when it came, in milliseconds from the beginning. */
export type Piece<T> = { at_ms: number; data: T }
export type Recording<T> = { pieces: readonly Piece<T>[]; duration_ms: number }
export type CastRecording = Recording<CastEvent> & { columns: number; rows: number }
/** What was written on a terminal, or what size it became. */
export type CastEvent = { output: string } | { columns: number; rows: number }

export class UnreadableRecording extends Error {}

const magic = 'FBS 001.001\n'

/**
 * A recording of a screen as rfbproxy writes it: blocks of length, bytes padded to four, and a time. One that was cut off in the
 * middle of a block, as when a server dies, ends with the block before.
 * @throws UnreadableRecording
 */
export function parseFbs(bytes: Uint8Array<ArrayBuffer>): Recording<Uint8Array<ArrayBuffer>> {
  if (new TextDecoder('latin1').decode(bytes.subarray(0, magic.length)) !== magic)
    throw new UnreadableRecording('no FBS')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: Piece<Uint8Array<ArrayBuffer>>[] = []
  let at = magic.length
  let last_ms = 0
  while (at + 4 <= bytes.length) {
    const length = view.getUint32(at)
    const padded = Math.ceil(length / 4) * 4
    const end = at + 4 + padded
    if (end + 4 > bytes.length) break
    // A clock that was set back must not make the player wait for its own past.
    last_ms = Math.max(last_ms, view.getUint32(end))
    pieces.push({ at_ms: last_ms, data: bytes.subarray(at + 4, at + 4 + length) })
    at = end + 4
  }
  return { pieces, duration_ms: last_ms }
}

/** A recording of a terminal, asciicast v2: a head, then one event a line. A line that was cut off ends it. @throws UnreadableRecording */
export function parseCast(text: string): CastRecording {
  const [first = '', ...lines] = text.split('\n')
  const head = parsed(first) as { version?: unknown; width?: unknown; height?: unknown } | undefined
  if (head?.version !== 2) throw new UnreadableRecording('no asciicast v2')
  const pieces: Piece<CastEvent>[] = []
  let last_ms = 0
  for (const line of lines) {
    if (line.trim() === '') continue
    const event = parsed(line)
    if (!Array.isArray(event)) break
    const [seconds, kind, data] = event as unknown[]
    if (typeof seconds !== 'number' || typeof data !== 'string') continue
    last_ms = Math.max(last_ms, Math.round(seconds * 1000))
    const size = /^(\d+)x(\d+)$/.exec(data)
    if (kind === 'o') pieces.push({ at_ms: last_ms, data: { output: data } })
    else if (kind === 'r' && size)
      pieces.push({ at_ms: last_ms, data: { columns: Number(size[1]), rows: Number(size[2]) } })
  }
  return { pieces, duration_ms: last_ms, columns: sizeOr(head.width, 80), rows: sizeOr(head.height, 24) }
}

const sizeOr = (said: unknown, otherwise: number): number =>
  typeof said === 'number' && said >= 2 && said <= 500 ? Math.floor(said) : otherwise

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** How many of the pieces are due by then. */
export function dueBy(pieces: readonly Piece<unknown>[], at_ms: number): number {
  let [low, high] = [0, pieces.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (pieces[middle]!.at_ms <= at_ms) low = middle + 1
    else high = middle
  }
  return low
}
