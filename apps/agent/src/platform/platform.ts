/** What the core asks of whatever it runs on; the condition `browser` of package.json#imports chooses which it is. */
export type Platform = {
  /** A UUID. */
  randomId(): string
  /** So many random bytes, in hexadecimal digits. */
  randomHex(bytes: number): string
  /** Of a text, in hexadecimal digits. */
  sha256(text: string): string
  gzip(bytes: Uint8Array): Promise<Uint8Array>
  /** Whether a text was signed by an Ed25519 key, given as base64 of its SPKI. */
  isSigned(key: string, text: string, signature: string): boolean
}
