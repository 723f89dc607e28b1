/** What a viewer may do now; read at every message. */
export type ViewerMay = { control: boolean; clipboard: boolean }
/** What the recording has to know of what the viewer said. */
export type Said = {
  /** 3, 7 or 8 of RFB 3.x; undefined until it is said. */
  minor: number | undefined
  /** The 16 bytes of SetPixelFormat; undefined: as ServerInit says. */
  pixel_format: Buffer | undefined
}
export class RfbFault extends Error {}

const most_encodings = 1_024
const most_clipboard_bytes = 10 * 1024 * 1024
const most_screens = 64
const most_held_keys = 128
/** Pseudo-encodings that would give a message another length, or carry text past the account's setting. */
const extended_mouse_buttons = -316
const extended_clipboard = 0xc0a1e5ce | 0

const empty = Buffer.alloc(0)
/** `size` bytes are there and belong together, `more` follow as they come; all of them go on, or none. */
type Step = { size: number; more?: number; passes: boolean; instead?: Buffer; noted?: () => void }

/**
 * What a viewer says to an RFB server, as far as the viewer may: bytes in, bytes out. Who has no control only looks; clipboards
 * are carried where the account allows it; a message that nobody knows ends the tunnel, as its length is unknown.
 */
export function rfbFilter(may: ViewerMay) {
  const said: Said = { minor: undefined, pixel_format: undefined }
  let stage: 'version' | 'security' | 'init' | 'messages' = 'version'
  let held = empty
  let more = 0
  let more_passes = false
  /** What lets go of every key and button that is down. */
  const down = new Map<string, Buffer>()

  const handshake = (bytes: Buffer): Step | undefined => {
    if (stage === 'version') {
      if (bytes.length < 12) return undefined
      const minor = /^RFB 003\.00([378])\n$/.exec(bytes.toString('latin1', 0, 12))?.[1]
      if (minor === undefined) throw new RfbFault('not a version that is spoken')
      said.minor = Number(minor)
      stage = said.minor === 3 ? 'init' : 'security'
      return { size: 12, passes: true }
    }
    if (stage === 'security') {
      // The agent has authenticated to the server of the screen; a tunnel needs no more.
      if (bytes[0] !== 1) throw new RfbFault('a security type other than None')
      stage = 'init'
      return { size: 1, passes: true }
    }
    stage = 'messages'
    // Shared, whatever was asked: nobody throws the others out.
    return { size: 1, passes: true, instead: Buffer.from([1]) }
  }

  function encodings(bytes: Buffer): Step | undefined {
    if (bytes.length < 4) return undefined
    const count = bytes.readUInt16BE(2)
    if (count > most_encodings) throw new RfbFault('too many encodings')
    const size = 4 + 4 * count
    if (bytes.length < size) return undefined
    const kept = Array.from({ length: count }, (_, i) => bytes.readInt32BE(4 + 4 * i)).filter(
      (each) => each !== extended_mouse_buttons && (may.clipboard || each !== extended_clipboard),
    )
    const instead = Buffer.alloc(4 + 4 * kept.length)
    instead[0] = 2
    instead.writeUInt16BE(kept.length, 2)
    kept.forEach((each, i) => instead.writeInt32BE(each, 4 + 4 * i))
    return { size, passes: true, instead }
  }

  /** Remembers what is held down, so that it can be let go when control moves on. */
  function press(key: string, is_down: boolean, release: Buffer): void {
    if (!is_down) down.delete(key)
    else if (down.size < most_held_keys) down.set(key, release)
  }

  function message(bytes: Buffer): Step | undefined {
    const whole = (size: number, passes: boolean, noted?: () => void): Step | undefined =>
      bytes.length < size ? undefined : { size, passes, ...(noted && passes && { noted }) }
    switch (bytes[0]) {
      case 0: // SetPixelFormat
        return whole(20, true, () => void (said.pixel_format = Buffer.from(bytes.subarray(4, 20))))
      case 2:
        return encodings(bytes)
      case 3: // FramebufferUpdateRequest
      case 150: // EnableContinuousUpdates
        return whole(10, true)
      case 4: // KeyEvent
        return whole(8, may.control, () => {
          const release = Buffer.from(bytes.subarray(0, 8))
          release[1] = 0
          press(`key ${release.readUInt32BE(4)}`, bytes[1] !== 0, release)
        })
      case 5: // PointerEvent
        return whole(6, may.control, () => {
          const release = Buffer.from(bytes.subarray(0, 6))
          release[1] = 0
          press('pointer', bytes[1] !== 0, release)
        })
      case 6: {
        // ClientCutText; a negative length is an extended clipboard's.
        if (bytes.length < 8) return undefined
        const more = Math.abs(bytes.readInt32BE(4))
        if (more > most_clipboard_bytes) throw new RfbFault('a clipboard that is too large')
        return { size: 8, more, passes: may.control && may.clipboard }
      }
      case 248: {
        // ClientFence
        if (bytes.length < 9) return undefined
        const more = bytes[8]!
        if (more > 64) throw new RfbFault('a fence that is too large')
        return whole(9 + more, true)
      }
      case 250: // xvp: would shut the device down
        return whole(4, false)
      case 251: {
        // SetDesktopSize
        if (bytes.length < 8) return undefined
        const screens = bytes[6]!
        if (screens > most_screens) throw new RfbFault('too many screens')
        return whole(8 + 16 * screens, may.control)
      }
      case 255: // QEMU: extended key events are the only ones that are asked for
        if (bytes.length < 2) return undefined
        if (bytes[1] !== 0) throw new RfbFault('a message of QEMU that is not spoken')
        return whole(12, may.control, () => {
          const release = Buffer.from(bytes.subarray(0, 12))
          release.writeUInt16BE(0, 2)
          press(`code ${release.readUInt32BE(8)}`, bytes.readUInt16BE(2) !== 0, release)
        })
      default:
        throw new RfbFault(`a message of type ${bytes[0]}`)
    }
  }

  return {
    said,
    /** @throws RfbFault */
    pass(chunk: Buffer): Buffer {
      let input = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
      held = empty
      const out: Buffer[] = []
      while (input.length > 0) {
        if (more > 0) {
          const part = input.subarray(0, more)
          if (more_passes) out.push(part)
          more -= part.length
          input = input.subarray(part.length)
          continue
        }
        const step = stage === 'messages' ? message(input) : handshake(input)
        if (!step) {
          held = Buffer.from(input)
          break
        }
        step.noted?.()
        if (step.passes) out.push(step.instead ?? input.subarray(0, step.size))
        input = input.subarray(step.size)
        more = step.more ?? 0
        more_passes = step.passes
      }
      return out.length === 1 ? out[0]! : Buffer.concat(out)
    },
    /** Lets go of what is down, for whoever loses control; nothing while a message is half sent. */
    release(): Buffer {
      if (more > 0 && more_passes) return empty
      const releases = Buffer.concat([...down.values()])
      down.clear()
      return releases
    },
  }
}
export type RfbFilter = ReturnType<typeof rfbFilter>
