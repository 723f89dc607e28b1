import { up } from '@mdm/device-link'
import type { RefusedPart, Up, UpName } from '@mdm/device-link'
import type * as z from 'zod'
import { mend } from './mend.ts'

/** PostgreSQL stores neither NUL nor half a surrogate pair; JSON text can hold both, as escapes only. */
const unstorable = /\\u(?:0000|d[89a-f])/i

export type Read<N extends UpName> = { body: Up[N] | undefined; parts: RefusedPart[]; said: unknown }

/** Reads one payload and leaves out of it what cannot be stored. Without `body` nothing can. */
export function readUpPayload<N extends UpName>(name: N, payload: Uint8Array): Read<N> {
  let said: unknown
  try {
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8')
    said = JSON.parse(text)
    if (unstorable.test(text)) said = storable(said)
  } catch (error) {
    const part: RefusedPart = { path: '', reason: 'not_json', message: (error as Error).name }
    return { body: undefined, parts: [part], said: undefined }
  }
  const schema = up[name] as unknown as z.ZodType<Up[N]>
  const parsed = schema.safeParse(said)
  if (parsed.success) return { body: parsed.data, parts: [], said }
  const { value, parts } = mend(schema, said)
  return { body: isWhole(name, value, parts) ? value : undefined, parts, said }
}

/** An answer in progress without its progress would be taken for the end of it. */
const isWhole = (name: UpName, value: unknown, parts: RefusedPart[]): boolean =>
  name !== 'reply' ||
  (value as Up['reply'] | undefined)?.progress !== undefined ||
  !parts.some((p) => p.path === 'progress')

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]))
}
const storableText = (text: string): string => text.replaceAll('\0', '').replace(loneSurrogate, '\ufffd')
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
