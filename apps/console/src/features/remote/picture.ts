/*! noVNC 1.7.0, Mozilla Public License 2.0. Its source: https://github.com/novnc/noVNC/tree/v1.7.0 */
import RFB from '@novnc/novnc'
import { isOnItsSide, unturned } from './turn.ts'
import type { Quarters } from './turn.ts'

/**
 * The screen of a device as noVNC draws it. It says of each picture that all of it has come (event `picture`), which noVNC itself tells
 * nobody: without it a frozen screen could not be told from one on which nothing happens. What is overridden for that is not noVNC's
 * public interface; its version is exact, and the walk through remote hands in e2e waits for the event.
 */
export class Picture extends RFB {
  protected override _framebufferUpdate(): boolean {
    const is_whole = super._framebufferUpdate()
    if (is_whole) {
      this.dispatchEvent(new CustomEvent('picture', { detail: { has_corner: this.#has_corner } }))
      this.#has_corner = false
    }
    return is_whole
  }
  /** The pixel of `askForPixel` is in it. */
  #has_corner = false
  protected override _handleRect(): boolean {
    const { x, y, encoding } = this._FBU
    const is_read = super._handleRect()
    if (is_read && x === 0 && y === 0 && encoding !== null && encoding >= 0) this.#has_corner = true
    return is_read
  }
  /** A part of a picture is there, and the rest on its way. */
  get isUnderWay(): boolean {
    return this._FBU.rects > 0
  }
  #quarters: Quarters = 0
  /** Turns what is shown, for a display that has one shape only. The device knows nothing of it. */
  set quarters(quarters: Quarters) {
    this.#quarters = quarters
    this._updateScale()
  }
  protected override _screenSize(): { w: number; h: number } {
    const { w, h } = super._screenSize()
    // noVNC asks while it is made, before this class is.
    return #quarters in this && isOnItsSide(this.#quarters) ? { w: h, h: w } : { w, h }
  }
  protected override _updateScale(): void {
    super._updateScale()
    if (!(#quarters in this)) return
    const { style, offsetWidth, offsetHeight } = this._canvas
    style.transform = this.#quarters === 0 ? '' : `rotate(${this.#quarters * 90}deg)`
    // It takes the room of the shape in which it is seen.
    const more = isOnItsSide(this.#quarters) ? (offsetHeight - offsetWidth) / 2 : undefined
    style.margin = more === undefined ? 'auto' : `${-more}px ${more}px`
    this._screen.style.placeContent = more === undefined ? '' : 'safe center'
    this._screen.style.placeItems = more === undefined ? '' : 'safe center'
  }
  protected override _sendMouse(x: number, y: number, mask: number): void {
    const { offsetWidth: width, offsetHeight: height } = this._canvas
    const at = unturned({ x, y }, { width, height }, this.#quarters)
    super._sendMouse(Math.max(0, at.x), Math.max(0, at.y), mask)
  }
  /** What tells one shape of the display from another. */
  get shape(): string {
    return `${this._fbWidth} x ${this._fbHeight}`
  }
  /** What asks a display that takes any shape for its other one. An RFB message of its own (SetDesktopSize). */
  otherShape(): Uint8Array<ArrayBuffer> | undefined {
    if (!this._supportsSetDesktopSize || this._fbWidth === 0 || this._fbHeight === 0) return undefined
    const message = new DataView(new ArrayBuffer(24))
    const [width, height] = [this._fbHeight, this._fbWidth]
    message.setUint8(0, 251)
    message.setUint16(2, width)
    message.setUint16(4, height)
    message.setUint8(6, 1)
    message.setUint32(8, this._screenID)
    message.setUint16(16, width)
    message.setUint16(18, height)
    message.setUint32(20, this._screenFlags)
    return new Uint8Array(message.buffer)
  }
  /** Resolves when everything that was read is drawn. */
  async drawn(): Promise<void> {
    if (this._display.pending()) await this._display.flush()
  }
}

/** Asks for one pixel whether it has changed or not: what answers lives. An RFB message of its own (FramebufferUpdateRequest). */
export const askForPixel = (): Uint8Array<ArrayBuffer> => new Uint8Array([3, 0, 0, 0, 0, 0, 0, 1, 0, 1])

export type Quality = 'low' | 'medium' | 'high'
/** Of JPEG and of zlib, as noVNC counts them. */
export const levels: Readonly<Record<Quality, { qualityLevel: number; compressionLevel: number }>> = {
  low: { qualityLevel: 1, compressionLevel: 9 },
  medium: { qualityLevel: 6, compressionLevel: 2 },
  high: { qualityLevel: 9, compressionLevel: 1 },
}
