declare module '@novnc/novnc' {
  type Named = {
    clipboard: { text: string }
    connect: object
    disconnect: { clean: boolean }
    picture: { has_corner: boolean }
  }

  /** What of noVNC 1.7 is used here; it has no types of its own. */
  export default class RFB {
    constructor(target: Element, channel: object, options?: { shared?: boolean })
    viewOnly: boolean
    scaleViewport: boolean
    clipViewport: boolean
    dragViewport: boolean
    focusOnClick: boolean
    background: string
    qualityLevel: number
    compressionLevel: number
    addEventListener<N extends keyof Named>(name: N, listener: (event: CustomEvent<Named[N]>) => void): void
    dispatchEvent(event: Event): boolean
    disconnect(): void
    focus(options?: FocusOptions): void
    blur(): void
    sendKey(keysym: number, code: string | null, is_down?: boolean): void
    clipboardPasteFrom(text: string): void
    toBlob(done: (blob: Blob | null) => void, type?: string): void
    /** Reads what came of a picture; true when all of it did. */
    protected _framebufferUpdate(): boolean
    protected _handleRect(): boolean
    protected _screenSize(): { w: number; h: number }
    protected _updateScale(): void
    protected _sendMouse(x: number, y: number, mask: number): void
    protected readonly _canvas: HTMLCanvasElement
    protected readonly _screen: HTMLElement
    protected readonly _supportsSetDesktopSize: boolean
    protected readonly _fbWidth: number
    protected readonly _fbHeight: number
    protected readonly _screenID: number
    protected readonly _screenFlags: number
    /** The picture that is read; `rects` are those that are still to come. */
    protected readonly _FBU: { rects: number; x: number; y: number; encoding: number | null }
    protected readonly _display: { flush(): Promise<void>; pending(): boolean }
  }
}
