import { createDCtx, decompressUsingDict, init } from '@bokuweb/zstd-wasm'

let loaded: Promise<number> | undefined

/** Unpacks a frame with a raw dictionary; the caller has looked at what the frame says of its size. */
export async function zstd(): Promise<(packed: Uint8Array, dictionary: Uint8Array) => Uint8Array> {
  loaded ??= init().then(() => createDCtx())
  const context = await loaded
  return (packed, dictionary) => decompressUsingDict(context, packed, dictionary)
}
