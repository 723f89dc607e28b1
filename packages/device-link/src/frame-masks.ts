type Bytes = Uint8Array

/** Covers or uncovers in place. Whole words are aligned, and the mask begins with the byte that falls on the first of them. */
function websocketUnmask(buffer: Bytes, mask: Bytes): void {
  const head = Math.min(buffer.length, -buffer.byteOffset & 3)
  const tail = head + ((buffer.length - head) & ~3)
  for (let i = 0; i < head; i++) buffer[i]! ^= mask[i & 3]!
  if (tail > head) {
    const words = new Int32Array(buffer.buffer, buffer.byteOffset + head, (tail - head) / 4)
    const word = new Int32Array(Uint8Array.from(mask, (_, i) => mask[(head + i) & 3]!).buffer)[0]!
    for (let i = 0; i < words.length; i++) words[i]! ^= word
  }
  for (let i = tail; i < buffer.length; i++) buffer[i]! ^= mask[i & 3]!
}

function websocketMask(source: Bytes, mask: Bytes, output: Bytes, offset: number, length: number): void {
  const part = output.subarray(offset, offset + length)
  part.set(source.subarray(0, length))
  websocketUnmask(part, mask)
}

/**
 * Everything that a device sends through a tunnel is masked by it and unmasked by the server. `ws` takes the functions for that from
 * `node:http`, and where that has none goes byte by byte, which took most of a tunnel's time. They are given to it before `ws` is loaded.
 */
export const frame_masks = { websocketMask, websocketUnmask }
