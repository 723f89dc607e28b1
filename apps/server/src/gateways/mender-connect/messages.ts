import { decode, encode } from '@msgpack/msgpack'
import * as z from 'zod'

/** What a message is about. */
export const protos = { terminal: 1, files: 2, client: 4, control: 0xffff } as const

/** Of a body: the agent reads messages of 8 KiB. */
export const piece_bytes = 4_096
/** Of a message of the agent: whatever it says of lengths, no more than this is read or kept. */
export const agent_says_bytes = 64 * 1024

const Message = z
  .object({
    hdr: z.object({
      proto: z.int().min(0).max(0xffff),
      typ: z.string().max(60).default(''),
      sid: z.string().max(100).default(''),
      props: z.record(z.string(), z.unknown()).nullish(),
    }),
    body: z.instanceof(Uint8Array).nullish(),
  })
  .transform(({ hdr, body }) => ({ ...hdr, props: hdr.props ?? {}, body: body ?? new Uint8Array(0) }))
export type Message = z.infer<typeof Message>
export type Said = Pick<Message, 'proto' | 'typ' | 'sid'> & {
  props?: Record<string, string | number | bigint>
  body?: Uint8Array
}

/** Undefined of what is no message. */
export function readMessage(data: Uint8Array): Message | undefined {
  try {
    return Message.safeParse(decode(data)).data
  } catch {
    return undefined
  }
}

/** The key of an offset, and the type that the library gives to a bigint, where the agent takes the signed one alone. */
const unsigned = Buffer.from('\xa6offset\xcf', 'latin1')
const int64 = 0xd3

export function writeMessage({ proto, typ, sid, props, body }: Said): Buffer {
  const said = encode(
    { hdr: { proto, typ, sid, ...(props && { props }) }, ...(body && { body }) },
    { useBigInt64: true },
  )
  const bytes = Buffer.from(said.buffer, said.byteOffset, said.byteLength)
  const at = typeof props?.['offset'] === 'bigint' ? bytes.indexOf(unsigned) : -1
  if (at >= 0) bytes[at + unsigned.length - 1] = int64
  return bytes
}

export const packed = (value: object): Uint8Array => encode(value)
/** What a body holds, as far as it is of this shape. */
export function unpacked<T extends z.ZodType>(shape: T, { body }: Pick<Message, 'body'>): z.infer<T> | undefined {
  try {
    return shape.safeParse(decode(body)).data
  } catch {
    return undefined
  }
}
