const piece_bytes = 1024 ** 2

/**
 * The texts of a workbook by their number, kept as the bytes that the file has of them: as strings they would take twice as much, and
 * each would hold on to the part of the file that it was cut from.
 */
export class Texts {
  readonly #pieces: Buffer[] = []
  #left = 0
  /** Of each text the piece and the place in it, in one number, and its bytes. */
  readonly #places: number[] = []
  readonly #lengths: number[] = []

  get count(): number {
    return this.#places.length
  }

  push(text: string): void {
    const length = Buffer.byteLength(text)
    if (length > this.#left) this.#pieces.push(Buffer.allocUnsafe((this.#left = Math.max(piece_bytes, length))))
    const piece = this.#pieces.at(-1)
    const start = piece === undefined ? 0 : piece.length - this.#left
    piece?.write(text, start)
    this.#places.push((this.#pieces.length - 1) * piece_bytes + start)
    this.#lengths.push(length)
    this.#left -= length
  }

  at(n: number): string | undefined {
    const place = this.#places[n]
    if (place === undefined) return undefined
    const start = place % piece_bytes
    return this.#pieces[Math.floor(place / piece_bytes)]?.toString('utf8', start, start + this.#lengths[n]!) ?? ''
  }
}
