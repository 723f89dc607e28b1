import { Duplex } from 'node:stream'
import type { TunnelNote } from '@mdm/device-link'
import type { Clock } from '../clock.ts'
import { greetViewer } from './rfb-greeting.ts'
import { encoding, encodingsOf, messageType, rfbMessages } from './rfb-messages.ts'
import { changedTiles, formatBytes, formatOf, own_format, writePixels } from './rfb-pixels.ts'
import type { Rectangle } from './rfb-pixels.ts'
import type { RemoteSource } from './source.ts'

export type Key = Extract<TunnelNote, { key: string }>['key']
export type ScreenWatcher = { changed(parts: readonly Rectangle[]): void; resized(): void; copied(text: string): void }
/** A picture that moves and can be touched, for any number of viewers. */
export type RfbScreen = {
  readonly name: string
  readonly width: number
  readonly height: number
  /** Each 0xRRGGBB, row by row; another array after the size has changed. */
  readonly pixels: Uint32Array
  /** Returns what ends it. */
  watch(watcher: ScreenWatcher): () => void
  key(keysym: number, is_down: boolean): void
  pointer(x: number, y: number, buttons: number): void
  paste(text: string): void
  press(key: Key): void
  rotate(): void
}

/** Between two frames. */
const frame_ms = { high: 100, medium: 200, low: 500 } as const
const piece_bytes = 65_536

/** An RFB 3.8 server of a screen for one viewer: raw pixels, only those that have changed, and no faster than they are read. */
export function rfbSource(screen: RfbScreen, { clock, clipboard }: { clock: Clock; clipboard: boolean }): RemoteSource {
  const cut = rfbMessages()
  let format = own_format
  let encodings: readonly number[] = []
  let tiles = changedTiles(screen.width, screen.height)
  let is_resized = false
  let is_watching = false
  /** The part that a viewer waits for; at once, or as soon as something there has changed. */
  let wanted: Rectangle | undefined
  let every_ms: number = frame_ms.high
  let sent_at = -Infinity
  let cancelNext: (() => void) | undefined
  /** Bytes on their way, made as they are read. */
  let frame: Iterator<Buffer> | undefined
  let has_room = true
  /** Copied at the device, for a moment between two frames. */
  const texts: Buffer[] = []
  let stopWatching = () => {}

  const send = (bytes: Buffer) => void (has_room = stream.push(bytes) && has_room)
  function pump() {
    while (frame && has_room && !stream.destroyed) {
      const { done, value } = frame.next()
      if (done) frame = undefined
      else send(value)
    }
    if (frame || stream.destroyed) return
    for (const text of texts.splice(0)) send(text)
    begin()
  }
  function begin() {
    if (!wanted || frame || !has_room || cancelNext || stream.destroyed) return
    const left_ms = sent_at + every_ms - performance.now()
    if (left_ms > 0) {
      cancelNext = clock.after(left_ms, () => {
        cancelNext = undefined
        begin()
      })
      return
    }
    const parts = is_resized ? [] : tiles.take(wanted)
    if (parts.length === 0 && !is_resized) return
    frame = is_resized ? newSize() : frameOf(parts)
    is_resized = false
    wanted = undefined
    sent_at = performance.now()
    pump()
  }
  /** The picture as it is while it is read: what changes meanwhile is marked again. */
  function* frameOf(parts: readonly Rectangle[]): Generator<Buffer, void> {
    const { pixels, width } = screen
    const to = format
    yield updateHead(parts.length)
    for (const part of parts) {
      yield rectangleHead(part, encoding.raw)
      const row_bytes = (part.width * to.bits) / 8
      const rows = Math.max(1, Math.floor(piece_bytes / row_bytes))
      for (let from = 0; from < part.height; from += rows) {
        const height = Math.min(rows, part.height - from)
        const piece = Buffer.allocUnsafe(row_bytes * height)
        for (let y = 0, at = 0; y < height; y += 1) {
          const start = (part.y + from + y) * width + part.x
          at = writePixels(piece, at, pixels.subarray(start, start + part.width), to)
        }
        yield piece
      }
    }
  }
  function* newSize(): Generator<Buffer, void> {
    const { width, height } = screen
    yield Buffer.concat([updateHead(1), rectangleHead({ x: 0, y: 0, width, height }, encoding.desktop_size)])
  }

  function start() {
    const { name, width, height } = screen
    const head = Buffer.alloc(4)
    head.writeUInt16BE(width, 0)
    head.writeUInt16BE(height, 2)
    const title = Buffer.from(name)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(title.length)
    send(Buffer.concat([head, formatBytes(own_format), length, title]))
    is_watching = true
    stopWatching = screen.watch({
      changed(parts) {
        parts.forEach(tiles.mark)
        begin()
      },
      resized() {
        if (!encodings.includes(encoding.desktop_size))
          return void stream.destroy(new Error('The viewer cannot follow a screen that turns'))
        is_resized = true
        tiles = changedTiles(screen.width, screen.height)
        begin()
      },
      copied(text) {
        if (clipboard) texts.push(cutText(text))
        pump()
      },
    })
  }

  function obey(message: Buffer) {
    if (message[0] === messageType.set_pixel_format) format = formatOf(message)
    if (message[0] === messageType.set_encodings) encodings = encodingsOf(message)
    if (message[0] === messageType.key) screen.key(message.readUInt32BE(4), message[1] === 1)
    if (message[0] === messageType.pointer)
      screen.pointer(message.readUInt16BE(2), message.readUInt16BE(4), message[1]!)
    if (message[0] === 255 && message[1] === 0) screen.key(message.readUInt32BE(4), message.readUInt16BE(2) === 1)
    // A negative length is an extended clipboard, which nobody has offered.
    if (message[0] === messageType.cut_text && clipboard && message.readInt32BE(4) >= 0)
      screen.paste(message.subarray(8).toString('latin1'))
    if (message[0] === messageType.update_request) {
      const [x, y, width, height] = [2, 4, 6, 8].map((at) => message.readUInt16BE(at)) as [
        number,
        number,
        number,
        number,
      ]
      wanted = { x, y, width, height }
      if (message[1] === 0) tiles.mark(wanted)
      begin()
    }
  }

  const stream: Duplex = new Duplex({
    read() {
      has_room = true
      pump()
    },
    write(chunk: Buffer, _encoding, done) {
      try {
        const messages = is_watching ? chunk : greet(chunk)
        if (messages && !is_watching) start()
        if (messages) for (const message of cut(messages)) obey(message)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    final(done) {
      stream.push(null)
      done()
    },
    destroy(error, done) {
      stopWatching()
      cancelNext?.()
      done(error)
    },
  })
  const greet = greetViewer(send)
  return {
    stream,
    take(note) {
      if ('key' in note) screen.press(note.key)
      if ('quality' in note) every_ms = frame_ms[note.quality]
      // A viewer that could not follow would lose the picture by its own wish.
      if ('rotate' in note && encodings.includes(encoding.desktop_size)) screen.rotate()
    },
  }
}

function updateHead(rectangles: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(rectangles, 2)
  return head
}
function rectangleHead({ x, y, width, height }: Rectangle, type: number): Buffer {
  const head = Buffer.alloc(12)
  for (const [at, value] of [x, y, width, height].entries()) head.writeUInt16BE(value, at * 2)
  head.writeInt32BE(type, 8)
  return head
}
function cutText(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll(/[^\0-\xff]/gu, '?'), 'latin1')
  const head = Buffer.alloc(8)
  head[0] = 3
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}
