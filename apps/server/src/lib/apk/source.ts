/** Why a file cannot be read as an APK. */
export class ApkError extends Error {
  override readonly name = 'ApkError'
  constructor(
    readonly reason: 'invalid' | 'unsigned' | 'beyond_limits',
    message: string,
  ) {
    super(message)
  }
}
export const invalid = (message: string): ApkError => new ApkError('invalid', message)
export const beyondLimits = (message: string): ApkError => new ApkError('beyond_limits', message)

/** A file of which any part can be read, wherever it is kept. `read` gives fewer bytes only at its end. */
export type ByteSource = { size: number; read(start: number, length: number): Promise<Buffer> }

export const inMemory = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: async (start, length) => bytes.subarray(start, start + length),
})

/** Exactly these bytes. */
export async function bytesAt(source: ByteSource, start: number, length: number): Promise<Buffer> {
  if (start < 0 || length < 0 || start + length > source.size) throw invalid('points outside of the file')
  const bytes = length === 0 ? Buffer.alloc(0) : await source.read(start, length)
  if (bytes.length !== length) throw invalid('ends early')
  return bytes
}
