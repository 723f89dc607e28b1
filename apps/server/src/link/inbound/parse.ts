import { up } from '@mdm/device-link'
import type { Up, UpName } from '@mdm/device-link'

/** What a device sent cannot be understood; the message says why, without quoting the device. */
export class RefusedMessage extends Error {}

/** PostgreSQL stores neither NUL nor half a surrogate pair; JSON text can hold both, as escapes only. */
const unstorable = /\\u(?:0000|d[89a-f])/i

/** Reads and checks one payload. Throws RefusedMessage. */
export function parseUpPayload<N extends UpName>(name: N, payload: Uint8Array): Up[N] {
  let value: unknown
  try {
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8')
    value = JSON.parse(text)
    if (unstorable.test(text)) value = storable(value)
  } catch (error) {
    throw new RefusedMessage(`not JSON: ${(error as Error).name}`)
  }
  const parsed = up[name].safeParse(value)
  if (parsed.success) return parsed.data as Up[N]
  const [issue] = parsed.error.issues
  throw new RefusedMessage(`${issue?.path.join('.') || 'payload'}: ${issue?.message}`)
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]))
}
const storableText = (text: string): string => text.replaceAll('\0', '').replace(loneSurrogate, '\ufffd')
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
