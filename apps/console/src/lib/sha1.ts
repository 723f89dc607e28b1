/**
 * SHA-1 of a text, lower-case hex, as the wire asks for passwords. `crypto.subtle` does not exist on plain HTTP
 * outside localhost, which private deployments use, so it is computed here. It is a transport format and no
 * protection: the server stores a slow hash of it.
 */
export function sha1(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array((((bytes.length + 8) >> 6) << 6) + 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(padded.length - 4, bytes.length << 3)

  const hash = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0])
  const words = new Uint32Array(80)
  const at = (i: number) => words[i] as number
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(block + i * 4)
    for (let i = 16; i < 80; i++) words[i] = rotate(at(i - 3) ^ at(i - 8) ^ at(i - 14) ^ at(i - 16), 1)
    let [a, b, c, d, e] = hash as unknown as [number, number, number, number, number]
    for (let i = 0; i < 80; i++) {
      const next = (rotate(a, 5) + round(i, b, c, d) + e + at(i)) | 0
      e = d
      d = c
      c = rotate(b, 30)
      b = a
      a = next
    }
    for (const [i, value] of [a, b, c, d, e].entries()) hash[i] = (hash[i] as number) + value
  }
  return [...hash].map((word) => word.toString(16).padStart(8, '0')).join('')
}

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by))

function round(i: number, b: number, c: number, d: number): number {
  if (i < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (i < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (i < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}
