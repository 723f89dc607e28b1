/*! noVNC 1.7.0, Mozilla Public License 2.0. Its source: https://github.com/novnc/noVNC/tree/v1.7.0 */
import RFB from '@novnc/novnc'

/**
 * The screen of a device as noVNC draws it. It says of each picture that all of it has come (event `picture`), which noVNC itself tells
 * nobody: without it a frozen screen could not be told from one on which nothing happens. What is overridden for that is not noVNC's
 * public interface; its version is exact, and the walk through remote hands in e2e waits for the event.
 */
export class Picture extends RFB {
  protected override _framebufferUpdate(): boolean {
    const is_whole = super._framebufferUpdate()
    if (is_whole) this.dispatchEvent(new CustomEvent('picture'))
    return is_whole
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
