/** Encodings that a viewer names, as signed numbers. */
export const encoding = {
  raw: 0,
  copy_rect: 1,
  zlib: 6,
  tight: 7,
  zrle: 16,
  desktop_size: -223,
  last_rect: -224,
  cursor: -239,
  qemu_key: -258,
  general_input: -305,
  desktop_name: -307,
  extended_desktop_size: -308,
  fence: -312,
  continuous_updates: -313,
  extended_pointer: -316,
} as const
export const messageType = {
  set_pixel_format: 0,
  set_encodings: 2,
  update_request: 3,
  key: 4,
  pointer: 5,
  cut_text: 6,
} as const

const most_text_bytes = 10 * 1_048_576 + 8
/** Sizes of messages that always have the same. */
const sizes: Record<number, number> = { 0: 20, 3: 10, 4: 8, 5: 6, 150: 10, 250: 4 }

/** Bytes of the message that `head` begins with; undefined while too little of it is there. */
function sizeOf(head: Buffer): number | undefined {
  const type = head[0]!
  if (sizes[type] !== undefined) return sizes[type]
  const from = (bytes: number, size: () => number) => (head.length < bytes ? undefined : size())
  if (type === messageType.set_encodings) return from(4, () => 4 + 4 * head.readUInt16BE(2))
  // An extended clipboard says its length as a negative number.
  if (type === messageType.cut_text) return from(8, () => 8 + Math.abs(head.readInt32BE(4)))
  if (type === 248) return from(9, () => 9 + head[8]!)
  if (type === 251) return from(8, () => 8 + 16 * head[6]!)
  if (type === 255) return from(4, () => (head[1] === 0 ? 12 : head.readUInt16BE(2) === 2 ? 10 : 4))
  throw new Error(`A viewer sent an RFB message of the unknown type ${type}`)
}

/** Cuts what a viewer sends after the handshake into whole messages. Throws at what is none. */
export function rfbMessages(): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    while (rest.length > 0) {
      const size = sizeOf(rest)
      if (size !== undefined && size > most_text_bytes) throw new Error(`A viewer sent an RFB message of ${size} bytes`)
      if (size === undefined || rest.length < size) break
      messages.push(rest.subarray(0, size))
      rest = rest.subarray(size)
    }
    return messages
  }
}

/** What a SetEncodings asks for. */
export const encodingsOf = (message: Buffer): number[] =>
  Array.from({ length: (message.length - 4) / 4 }, (_, at) => message.readInt32BE(4 + at * 4))

export function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length)
  message[0] = messageType.set_encodings
  message.writeUInt16BE(encodings.length, 2)
  encodings.forEach((each, at) => message.writeInt32BE(each, 4 + at * 4))
  return message
}

/** A key pressed and let go. */
export function keyStroke(keysym: number): Buffer {
  const message = Buffer.alloc(16)
  for (const [at, is_down] of [1, 0].entries()) {
    message[at * 8] = messageType.key
    message[at * 8 + 1] = is_down
    message.writeUInt32BE(keysym, at * 8 + 4)
  }
  return message
}
