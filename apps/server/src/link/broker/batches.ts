import { upNames } from '@mdm/device-link/topics.ts'
import type { UpName } from '@mdm/device-link'
import type { ToBroker, ToServer } from './broker-messages.ts'

/**
 * What is sent through the channel. Messages of devices and their commits are nearly all of it: runs of them travel as one
 * block, because thousands of small objects would be encoded and decoded one by one. The order of everything is kept.
 */
export type SentToServer = Exclude<ToServer, { t: 'up' }> | { t: 'ups'; bytes: Uint8Array }
export type SentToBroker =
  Exclude<ToBroker, { t: 'committed' }> | { t: 'commits'; ids: number[]; is_committed: boolean }

type Up = Extract<ToServer, { t: 'up' }>
const kid_bytes = 36
/** id, length of the payload, name, kid. */
const head_bytes = 4 + 4 + 1 + kid_bytes

export function packForServer(batch: readonly ToServer[]): SentToServer[] {
  const sent: SentToServer[] = []
  let ups: Up[] = []
  const flush = () => {
    if (ups.length > 0) sent.push({ t: 'ups', bytes: packUps(ups) })
    ups = []
  }
  for (const item of batch) {
    if (item.t === 'up') ups.push(item)
    else {
      flush()
      sent.push(item)
    }
  }
  flush()
  return sent
}

function packUps(ups: readonly Up[]): Buffer {
  const size = ups.reduce((sum, { payload }) => sum + head_bytes + payload.length, 0)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const { id, kid, name, payload } of ups) {
    bytes.writeUInt32LE(id, at)
    bytes.writeUInt32LE(payload.length, at + 4)
    bytes[at + 8] = upNames.indexOf(name)
    bytes.write(kid, at + 9, kid_bytes, 'latin1')
    bytes.set(payload, at + head_bytes)
    at += head_bytes + payload.length
  }
  return bytes
}

/** Payloads are views of `packed`, not copies. */
export function* unpackUps(
  packed: Uint8Array,
): Generator<{ id: number; kid: string; name: UpName; payload: Uint8Array }> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let at = 0; at < bytes.length;) {
    const body = at + head_bytes
    const end = body + bytes.readUInt32LE(at + 4)
    yield {
      id: bytes.readUInt32LE(at),
      kid: bytes.toString('latin1', at + 9, body),
      name: upNames[bytes[at + 8]!]!,
      payload: bytes.subarray(body, end),
    }
    at = end
  }
}

export function packForBroker(batch: readonly ToBroker[]): SentToBroker[] {
  const sent: SentToBroker[] = []
  for (const item of batch) {
    const last = sent.at(-1)
    if (item.t !== 'committed') sent.push(item)
    else if (last?.t === 'commits' && last.is_committed === item.is_committed) last.ids.push(item.id)
    else sent.push({ t: 'commits', ids: [item.id], is_committed: item.is_committed })
  }
  return sent
}
