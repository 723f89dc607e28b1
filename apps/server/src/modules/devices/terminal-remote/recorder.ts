import { PassThrough } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import type { Sluice } from '../../../link/tunnels/carry.ts'
import { RfbFault } from './rfb-filter.ts'
import type { Said } from './rfb-filter.ts'

/** A recording of more than that ends its tunnel; the browser's next one begins another. */
const most_bytes = 1024 ** 3
const waiting_bytes = 128 * 1024
const most_handshake_bytes = 64 * 1024

/** What is written for what came, and what is written once, before anything. */
type Format = { name: 'fbs' | 'asciicast'; write(data: Buffer, ms: number): Buffer | undefined }
type Of = { session_kid: string; viewer_kid: string; account_kid: string; most: number }
export type Recorder = {
  /** @throws when it is full */
  write(data: Buffer, device: Sluice): void
  /** Something that is no output, as it reads in the file; nothing before anything was written. */
  note(make: (ms: number) => Buffer): void
  end(): Promise<void>
}

/** Keeps what a viewer is shown as an object, and its row once it is whole. `failed` is told when it cannot be kept. */
export function record(deps: Deps, of: Of, format: Format, failed: (error: unknown) => void): Recorder {
  const kid = newKid()
  const started_at = deps.clock.now()
  const began = deps.clock.elapsed()
  const stream = new PassThrough({ highWaterMark: waiting_bytes })
  const most = Math.min(of.most, most_bytes)
  let bytes = 0
  let waiting: Sluice | undefined
  const now = () => Math.max(0, Math.round(deps.clock.elapsed() - began))
  let stored: Promise<number | undefined> | undefined
  /** From the first byte on: a viewer who never comes, or a device that says nothing, opens no file. */
  const store = () =>
    deps.objects.put(kid, stream, most_bytes * 2).then(
      (info) => info.size,
      (error: unknown) => {
        stream.destroy()
        failed(error)
        return undefined
      },
    )
  const go = () => {
    waiting?.open('recording')
    waiting = undefined
  }
  stream.on('drain', go).on('close', go)
  const put = (data: Buffer) => {
    bytes += data.length
    stored ??= store()
    return stream.destroyed || stream.writableEnded || stream.write(data)
  }

  return {
    write(data, device) {
      if (bytes > most) throw new Error('the recording is full')
      const said = format.write(data, now())
      if (!said || put(said) || waiting) return
      waiting = device
      device.shut('recording')
    },
    note(make) {
      if (bytes > 0) put(make(now()))
    },
    async end() {
      const seconds = now() / 1000
      stream.end()
      const size = await stored
      if (size === undefined) return
      const { session_kid, viewer_kid, account_kid } = of
      await deps
        .scope(account_kid)
        .insertInto('remote_recording')
        .values({ kid, account_kid, session_kid, viewer_kid, format: format.name, bytes: size, seconds, started_at })
        .execute()
        .catch(async (error: unknown) => {
          deps.log.warn({ err: error, session_kid }, 'a recording could not be noted, and is not kept')
          await deps.objects.delete(kid)
        })
    },
  }
}

/** docs/remote-recordings.md; `said` is what the viewer has said to the device so far. */
export function fbs(said: Said): Format {
  let handshake: Buffer | undefined = Buffer.alloc(0)
  let init: Buffer | undefined
  return {
    name: 'fbs',
    write(data, ms) {
      if (handshake === undefined && init === undefined) return block(data, ms)
      let rest = data
      if (handshake !== undefined) {
        const all = Buffer.concat([handshake, data])
        const found = initOf(all, said.minor)
        if (!found) {
          if (all.length > most_handshake_bytes) throw new RfbFault('a handshake that is too long')
          handshake = all
          return undefined
        }
        init = Buffer.from(all.subarray(found.from, found.until))
        rest = all.subarray(found.until)
        handshake = undefined
      }
      // Pictures come in the format that the viewer has asked for by then.
      if (rest.length === 0) return undefined
      said.pixel_format?.copy(init!, 4)
      const begin = Buffer.concat([Buffer.from('RFB 003.003\n'), Buffer.from([0, 0, 0, 1]), init!])
      init = undefined
      return Buffer.concat([Buffer.from('FBS 001.001\n'), block(begin, 0), block(rest, ms)])
    },
  }
}

function block(data: Buffer, ms: number): Buffer {
  const padded = Math.ceil(data.length / 4) * 4
  const out = Buffer.alloc(4 + padded + 4)
  out.writeUInt32BE(data.length, 0)
  data.copy(out, 4)
  out.writeUInt32BE(ms, 4 + padded)
  return out
}

/** Where ServerInit lies in what a server has said; undefined until all of it is there. */
function initOf(bytes: Buffer, minor: number | undefined): { from: number; until: number } | undefined {
  if (minor === undefined || bytes.length < 13) return undefined
  // The version, and security None: in four bytes; as a list; as a list with a result.
  const from = minor === 3 ? 16 : 13 + bytes[12]! + (minor === 8 ? 4 : 0)
  if (bytes.length < from + 24) return undefined
  const until = from + 24 + bytes.readUInt32BE(from + 20)
  if (until > most_handshake_bytes) throw new RfbFault('a screen whose name is too long')
  return bytes.length < until ? undefined : { from, until }
}

const asLine = (event: unknown): Buffer => Buffer.from(`${JSON.stringify(event)}\n`)

export function asciicast(size: { columns: number; rows: number }, timestamp: number): Format {
  const text = new StringDecoder('utf8')
  let begin: Buffer | undefined = asLine({ version: 2, width: size.columns, height: size.rows, timestamp })
  return {
    name: 'asciicast',
    write(data, ms) {
      const said = text.write(data)
      const out = Buffer.concat([begin ?? Buffer.alloc(0), ...(said === '' ? [] : [asLine([ms / 1000, 'o', said])])])
      begin = undefined
      return out
    },
  }
}
export const resized = (columns: number, rows: number) => (ms: number) => asLine([ms / 1000, 'r', `${columns}x${rows}`])
