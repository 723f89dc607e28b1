import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import * as z from 'zod'
import type { FilePart, FilePut } from '@mdm/device-link'
import type { Source } from '../shared/tunnel-end.ts'
import { DeviceFault, filesStream } from '../shared/tunnel-files.ts'
import { packed, piece_bytes, protos, unpacked } from './messages.ts'
import type { Message, Said } from './messages.ts'
import type { Peer } from './peer.ts'

const FileInfo = z.object({ size: z.int().min(0), mode: z.int().min(0), modtime: z.date() })
const FileError = z.object({ err: z.string(), msgtype: z.string().nullish() })
/** As Go has it in its modes. */
const folder_bit = 2 ** 31
/** The agent sends twenty pieces ahead of what was acknowledged. */
const acknowledge_bytes = 8 * piece_bytes

type Reading = { path: string; position: number; rest: Buffer; acknowledged: number; is_over: boolean }
type Writing = { file: FilePut; path: string; position: number; digest: Hash }

const refusalIn = (message: Message): DeviceFault =>
  new DeviceFault('refused', unpacked(FileError, message)?.err ?? 'The device has refused it')

/**
 * Files of the device, by whole transfers of mender-connect: one at a time, each from its beginning. So who goes on reading where they
 * were is served as fast as the device can, and who begins in the middle waits for what is before it.
 */
export function openFiles(peer: Peer, may_change: boolean): Source {
  /** Beside a transfer one asks in a session of its own, so that answers and pieces are not mixed. */
  const asking = peer.talk()
  let talk = peer.talk()
  let reading: Reading | undefined
  let writing: Writing | undefined

  const tell = (typ: string, more: Pick<Said, 'props' | 'body'> = {}) => talk.say({ proto: protos.files, typ, ...more })
  const offset = (bytes: number) => ({ props: { offset: BigInt(bytes) } })
  /** The next message of one of these types; what was said of a transfer that is over is passed by. */
  async function hear(type: string, from = talk): Promise<Message> {
    for (;;) {
      const message = await from.next()
      if (message.typ === 'error') throw refusalIn(message)
      if (message.proto === protos.files && message.typ === type) return message
    }
  }
  /** Ends a transfer in the middle, and with it all that may still be said of it. */
  function leave(): void {
    if (!reading && !writing) return
    reading = writing = undefined
    cancel()
    talk = peer.talk()
  }
  function cancel(): void {
    void tell('error', { body: packed({ err: 'canceled' }) }).catch(() => {})
    talk.end()
  }
  async function fileAt(path: string) {
    await asking.say({ proto: protos.files, typ: 'stat', body: packed({ path }) })
    const found = unpacked(FileInfo, await hear('file_info', asking))
    if (!found) throw new DeviceFault('refused', `${path}: the device says nothing of it that can be read`)
    if (Math.floor(found.mode / folder_bit) % 2 === 1)
      throw new DeviceFault('not_supported', `${path} is a folder, and mender-connect lists none`)
    return found
  }

  async function nextPiece(at: Reading): Promise<void> {
    const { body, props } = await hear('file_chunk')
    if (Number(props['offset']) !== at.position + at.rest.length)
      throw new DeviceFault('refused', 'The device sends other bytes than come next')
    if (body.length === 0) at.is_over = true
    else at.rest = Buffer.concat([at.rest, body])
  }
  async function took(at: Reading, count: number): Promise<Buffer> {
    const bytes = at.rest.subarray(0, count)
    at.rest = at.rest.subarray(count)
    at.position += count
    const is_last = at.is_over && at.rest.length === 0
    if (at.position - at.acknowledged >= acknowledge_bytes || (is_last && at.position > at.acknowledged)) {
      at.acknowledged = at.position
      await tell('ack', offset(at.position))
    }
    return bytes
  }
  async function begin(path: string): Promise<Reading> {
    leave()
    await tell('get_file', { body: packed({ path }) })
    return (reading = { path, position: 0, rest: Buffer.alloc(0), acknowledged: 0, is_over: false })
  }
  async function bytesOf({ path, offset: from, length }: FilePart): Promise<Buffer> {
    const at = reading?.path === path && reading.position <= from ? reading : await begin(path)
    const pieces: Buffer[] = []
    let left = length
    while (left > 0) {
      if (at.rest.length === 0) {
        if (at.is_over) break
        await nextPiece(at)
        continue
      }
      const before = Math.min(at.rest.length, Math.max(0, from - at.position))
      const bytes = await took(at, before > 0 ? before : Math.min(left, at.rest.length))
      if (before > 0) continue
      pieces.push(bytes)
      left -= bytes.length
    }
    return Buffer.concat(pieces)
  }
  async function read(part: FilePart) {
    try {
      // With each piece its size and its time now: a file that changes in between is noticed.
      const [{ size, modtime }, bytes] = await Promise.all([fileAt(part.path), bytesOf(part)])
      return { bytes, size, modified_at: modtime.toISOString() }
    } catch (error) {
      leave()
      throw error
    }
  }

  async function put(file: FilePut): Promise<number> {
    leave()
    const path = `${file.path.replace(/\/+$/, '')}/${file.name}`
    await tell('put_file', { body: packed({ path, size: file.size, mode: 0o644 }) })
    await hear('ack')
    writing = { file, path, position: 0, digest: createHash('sha256') }
    return 0
  }
  function needed(): Writing {
    if (!writing) throw new DeviceFault('refused', 'No file is on its way')
    return writing
  }
  /** The agent acknowledges a piece by the place where it begins. */
  async function acknowledged(from: number): Promise<void> {
    while (Number((await hear('ack')).props['offset']) < from);
  }
  async function write(bytes: Uint8Array): Promise<number> {
    const at = needed()
    try {
      if (at.position + bytes.length > at.file.size)
        throw new DeviceFault('too_large', `${at.file.name} is longer than was said`)
      let last = at.position
      for (let from = 0; from < bytes.length; from += piece_bytes) {
        const body = bytes.subarray(from, from + piece_bytes)
        last = at.position
        await tell('file_chunk', { ...offset(at.position), body })
        at.digest.update(body)
        at.position += body.length
      }
      await acknowledged(last)
      return at.position
    } catch (error) {
      leave()
      throw error
    }
  }
  async function place(): Promise<string> {
    const { file, path, position, digest } = needed()
    try {
      if (position !== file.size || digest.digest('hex') !== file.sha256)
        throw new DeviceFault('hash_mismatch', `${file.name}: the bytes are not those that were announced`)
      await tell('file_chunk', offset(position))
      await acknowledged(position)
      await settled()
      writing = undefined
      const { size } = await fileAt(path)
      if (size !== file.size) throw new DeviceFault('refused', `${path} has ${size} bytes, not ${file.size}`)
      return path
    } catch (error) {
      leave()
      throw error
    }
  }
  /**
   * The agent acknowledges the end of a file before it has put it in its place. What it is told then it refuses, as no transfer is under
   * way, but only once that is so.
   */
  async function settled(): Promise<void> {
    await tell('ack', offset(0))
    const said = await talk.next()
    if (said.typ !== 'error' || unpacked(FileError, said)?.msgtype !== 'ack') throw refusalIn(said)
  }

  const none = (what: string) => () => Promise.reject(new DeviceFault('not_supported', `mender-connect ${what}`))
  const work = { read, put, write, place, list: none('lists no folders'), make_folder: none('makes no folders') }
  const stream = filesStream(work, may_change, () => {
    cancel()
    asking.end()
  })
  peer.line.ws.once('close', () => stream.destroy())
  return { stream }
}
