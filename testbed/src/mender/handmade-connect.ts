import { once } from 'node:events'
import type { Socket } from 'node:net'
import { decode, encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import { until } from '../until.ts'

type Message = { proto: number; typ: string; sid: string; props: Record<string, unknown>; body: Buffer }
const piece = 4_096
const ahead = 20 * piece
const accepts = { shell: 1, files: 2, client: 4 }
/** What Go reads as an int64, and nothing else. */
const int64_offset = Buffer.from('\xa6offset\xd3', 'latin1')

type Options = { server: string; bearer: string; protocols?: number[] }
type DeviceFile = { bytes: Buffer; modified_at: Date; is_folder?: boolean }

/** What mender-connect says and does at its end of the socket, by its protocol: files are a map, and a shell says everything back. */
export class HandmadeConnect {
  readonly socket: WebSocket
  readonly heard: Message[] = []
  readonly files = new Map<string, DeviceFile>()
  /** What it leaves unanswered. */
  is_mute = false
  readonly #protocols: number[]
  #reading = new Map<string, { bytes: Buffer; sent: number }>()
  #writing = new Map<string, { path: string; bytes: Buffer }>()

  constructor({ server, bearer, protocols = Object.values(accepts) }: Options) {
    this.#protocols = protocols
    const url = `${server.replace('http', 'ws')}/api/devices/v1/deviceconnect/connect`
    this.socket = new WebSocket(url, { headers: { authorization: `Bearer ${bearer}` } })
    this.socket.on('message', (data) => this.#hear(data as Buffer)).on('error', () => {})
  }
  /** 101, or the status with which it was refused. */
  opened(): Promise<number> {
    return new Promise((resolve) => {
      this.socket.once('open', () => resolve(101))
      this.socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode!))
    })
  }
  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    this.socket.terminate()
    await once(this.socket, 'close')
  }
  toldOf = (typ: string) => this.heard.filter((each) => each.typ === typ)
  told = (typ: string, count = 1) => until(`mender-connect to be told ${typ}`, () => this.toldOf(typ)[count - 1])

  say({ proto, typ, sid, props, body }: Partial<Message>): void {
    this.socket.send(encode({ hdr: { proto, typ, sid, ...(props && { props }) }, ...(body && { body }) }))
  }
  /** What is said meanwhile leaves in one piece. */
  together(say: () => void): void {
    const { _socket: wire } = this.socket as unknown as { _socket: Socket }
    wire.cork()
    say()
    wire.uncork()
  }
  #refuse({ proto, sid, typ }: Message, err: string): void {
    this.say({ proto, typ: 'error', sid, body: Buffer.from(encode({ err, msgtype: typ })) })
  }

  #hear(data: Buffer): void {
    if (data.length > 8_192) return this.socket.terminate()
    const { hdr, body } = decode(data) as { hdr: Omit<Message, 'body'>; body?: Uint8Array }
    const message = { ...hdr, props: hdr.props ?? {}, body: Buffer.from(body ?? []) }
    this.heard.push(message)
    if ('offset' in message.props && !data.includes(int64_offset))
      return this.#refuse(message, 'invalid offset data type: require int64')
    if (this.is_mute) return
    const { proto, typ, sid } = message
    if (proto === 0xffff && typ === 'open')
      this.say({ proto, typ: 'accept', sid, body: Buffer.from(encode({ version: 1, protocols: this.#protocols })) })
    else if (proto === accepts.shell) this.#shell(message)
    else if (proto === accepts.files) this.#file(message)
  }
  #shell({ proto, typ, sid, body }: Message): void {
    const normal = { status: 1 }
    if (typ === 'new') this.say({ proto, typ, sid, props: normal, body: Buffer.from('Shell started') })
    if (typ === 'shell') this.say({ proto, typ, sid, props: normal, body })
  }
  #file(message: Message): void {
    const { proto, typ, sid, props, body } = message
    const asked = typ === 'ack' || typ === 'file_chunk' || body.length === 0 ? {} : (decode(body) as { path?: string })
    const path = asked.path ?? ''
    const file = this.files.get(path)
    const [reading, writing] = [this.#reading.get(sid), this.#writing.get(sid)]
    if (typ === 'stat') {
      if (!file) return this.#refuse(message, `stat ${path}: no such file or directory`)
      const { bytes, modified_at: modtime, is_folder } = file
      const info = { path, size: bytes.length, mode: is_folder ? 2 ** 31 + 0o755 : 0o644, modtime }
      this.say({ proto, typ: 'file_info', sid, body: Buffer.from(encode(info)) })
    } else if (typ === 'get_file') {
      if (!file) return this.#refuse(message, `open ${path}: no such file or directory`)
      this.#reading.set(sid, { bytes: file.bytes, sent: 0 })
      this.#send(message, 0)
    } else if (typ === 'put_file') {
      this.#writing.set(sid, { path, bytes: Buffer.alloc(0) })
      this.say({ proto, typ: 'ack', sid, props: { offset: 0 } })
    } else if (typ === 'error') {
      this.#reading.delete(sid)
      this.#writing.delete(sid)
    } else if (typ === 'ack' && reading) this.#send(message, Number(props['offset']))
    else if (typ === 'file_chunk' && writing) {
      this.say({ proto, typ: 'ack', sid, props })
      writing.bytes = Buffer.concat([writing.bytes, body])
      if (body.length > 0) return
      this.#writing.delete(sid)
      if (writing.path.startsWith('/readonly/')) this.#refuse({ ...message, typ: 'put_file' }, 'failed to commit')
      else this.files.set(writing.path, { bytes: writing.bytes, modified_at: new Date() })
    } else this.#refuse(message, 'no file transfer in progress')
  }
  #send({ proto, sid }: Message, acknowledged: number): void {
    const reading = this.#reading.get(sid)!
    const { bytes } = reading
    const is_over = () => reading.sent > bytes.length
    while (!is_over() && reading.sent < acknowledged + ahead) {
      const body = bytes.subarray(reading.sent, reading.sent + piece)
      this.say({ proto, typ: 'file_chunk', sid, props: { offset: reading.sent }, body })
      reading.sent += body.length || 1
    }
    if (is_over() && acknowledged >= bytes.length) this.#reading.delete(sid)
  }
}
