import { compressUsingDict, createCCtx, createDCtx, decompressUsingDict, init } from '@bokuweb/zstd-wasm'

/** Little faster below it, and a tenth larger (decision 043). */
const level = 19
/** A dictionary that begins with it is read as one of tables, not as bytes. */
const tables_magic = 0xec30a437

export type Zstd = {
  pack(bytes: Uint8Array, dictionary: Uint8Array): Uint8Array
  unpack(packed: Uint8Array, dictionary: Uint8Array): Uint8Array
}

/** One of each: a context keeps its tables, a hundred MiB of them, and a second start would take the memory of the first away. */
let opened: Promise<Zstd> | undefined
export const openZstd = (): Promise<Zstd> => (opened ??= open())

async function open(): Promise<Zstd> {
  await init()
  const [compress, decompress] = [createCCtx(), createDCtx()]
  return {
    pack: (bytes, dictionary) => compressUsingDict(compress, Buffer.from(bytes), dictionary, level),
    unpack: (packed, dictionary) => decompressUsingDict(decompress, packed, dictionary),
  }
}

/** Whether these bytes can be a dictionary as they are. */
export function isRaw(bytes: Uint8Array): boolean {
  if (bytes.byteLength < 8) return bytes.byteLength > 0
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true) !== tables_magic
}
