import * as z from 'zod'

/**
 * A difference package that the server made: a description of every file of the new version, and the bytes that the old one does
 * not have. docs/device-link/working.md says it in words.
 */

/** Where both stand in the ZIP. */
export const os_delta_folder = 'DOWNLOAD/.delta/'
export const os_delta_index = `${os_delta_folder}index.json`
export const os_delta_data = `${os_delta_folder}data`

/** A device needs no more memory than one piece with its base. */
export const osDeltaLimits = {
  files: 30_000,
  index_bytes: 32 * 1024 ** 2,
  piece_bytes: 8 * 1024 ** 2,
  base_bytes: 12 * 1024 ** 2,
  /** zstd adds a few bytes to what cannot be packed. */
  packed_bytes: 8 * 1024 ** 2 + 65_536,
} as const

/** Below the root of the system; the steps are those of a package. */
const Path = z
  .string()
  .min(1)
  .max(512)
  .refine(
    (path) =>
      !/[\p{Cc}\\]/u.test(path) && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..'),
    'leaves the folder of the system',
  )
const size = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

const Piece = z.object({
  size: z.number().int().min(1).max(osDeltaLimits.piece_bytes),
  packed: z.number().int().min(1).max(osDeltaLimits.packed_bytes).describe('bytes of the data entry, in its order'),
  base: z
    .object({ path: Path, at: size, size: z.number().int().min(1).max(osDeltaLimits.base_bytes) })
    .optional()
    .describe('part of a file of the old version that is the dictionary; without it there is none'),
})
const DeltaFile = z
  .object({
    path: Path,
    size,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    same: Path.optional().describe('this file of the old version, as it is'),
    pieces: z.array(Piece).optional().describe('one after the other they are the file'),
  })
  .refine(
    ({ size: whole, same, pieces }) =>
      same === undefined ? (pieces ?? []).reduce((sum, piece) => sum + piece.size, 0) === whole : pieces === undefined,
    'its pieces are not the file',
  )

/** DOWNLOAD/.delta/index.json: the whole tree of the new version. */
export const OsDelta = z.object({
  format: z.literal('mdm-delta-1'),
  folders: z.array(Path).max(osDeltaLimits.files).describe('empty ones, and those that a package names'),
  files: z.array(DeltaFile).min(1).max(osDeltaLimits.files),
})
export type OsDelta = z.infer<typeof OsDelta>
export type OsDeltaFile = OsDelta['files'][number]

/** @throws Error that says what is wrong with it */
export function readOsDelta(text: string): OsDelta {
  const { data, error } = OsDelta.safeParse(JSON.parse(text))
  if (!data) throw new Error(error.issues[0]?.message ?? 'no description of a difference')
  const names = new Set(data.files.map(({ path }) => path.toLowerCase()))
  if (names.size !== data.files.length) throw new Error('two files have one name')
  return data
}

export type DeltaSource = {
  /** The next so many bytes of the data entry; throws where there are fewer. */
  data(length: number): Promise<Uint8Array>
  /** A part of a file of the old version; throws where it is shorter. */
  base(path: string, at: number, length: number): Promise<Uint8Array>
  /** zstd with a raw dictionary. */
  unpack(packed: Uint8Array, dictionary: Uint8Array): Uint8Array
}

/** The content of a file that is not the same; no more bytes than it says, whatever its pieces hold. */
export async function* rebuilt({ path, pieces = [] }: OsDeltaFile, source: DeltaSource): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    const packed = await source.data(piece.packed)
    if (zstdSize(packed) !== piece.size) throw new Error(`${path}: a piece says another size`)
    const { base } = piece
    const bytes = source.unpack(packed, base ? await source.base(base.path, base.at, base.size) : new Uint8Array(0))
    if (bytes.byteLength !== piece.size) throw new Error(`${path}: a piece has another size`)
    yield bytes
  }
}

/** Takes just so many bytes at a time from a stream, and no more of it than is asked for. */
export function exactBytes(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]()
  let rest = new Uint8Array(0)
  return {
    async take(length: number): Promise<Uint8Array> {
      const taken = new Uint8Array(length)
      for (let at = 0; at < length;) {
        if (rest.byteLength === 0) {
          const { value, done } = await pieces.next()
          if (done) throw new Error('the data ends early')
          rest = new Uint8Array(value)
        }
        const part = rest.subarray(0, length - at)
        taken.set(part, at)
        at += part.byteLength
        rest = rest.subarray(part.byteLength)
      }
      return taken
    },
    async end(): Promise<void> {
      for (; rest.byteLength === 0;) {
        const { value, done } = await pieces.next()
        if (done) return
        rest = new Uint8Array(value)
      }
      throw new Error('the data is longer than its description')
    },
  }
}

/** What a frame says that it unpacks to, so that nothing larger is made room for; undefined where it does not say (RFC 8878, 3.1.1.1). */
export function zstdSize(frame: Uint8Array): number | undefined {
  if (frame.byteLength < 6) return undefined
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (view.getUint32(0, true) !== 0xfd2fb528) return undefined
  const descriptor = view.getUint8(4)
  const is_single = (descriptor & 0x20) !== 0
  const at = 5 + (is_single ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!
  const bytes = [is_single ? 1 : 0, 2, 4, 8][descriptor >>> 6]!
  if (bytes === 0 || at + bytes > frame.byteLength) return undefined
  if (bytes === 1) return view.getUint8(at)
  if (bytes === 2) return view.getUint16(at, true) + 256
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
}
