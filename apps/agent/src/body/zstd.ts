let loaded: ReturnType<typeof load> | undefined

async function load() {
  const library = await import('@bokuweb/zstd-wasm')
  await library.init()
  return { library, context: library.createDCtx() }
}

/** Unpacks a frame with a raw dictionary; the caller has looked at what the frame says of its size. */
export async function zstd(): Promise<(packed: Uint8Array, dictionary: Uint8Array) => Uint8Array> {
  const { library, context } = await (loaded ??= load())
  return (packed, dictionary) => library.decompressUsingDict(context, packed, dictionary)
}
