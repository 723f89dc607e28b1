import { limits, up } from '@mdm/device-link'
import type { RefusedPart, Up, UpName } from '@mdm/device-link'
import type * as z from 'zod'
import { mend } from './drop-invalid-parts.ts'

/** PostgreSQL stores neither NUL nor half a surrogate pair; JSON text can hold both, as escapes only. */
const unstorable = /\\u(?:0000|d[89a-f])/i

type Shape = { list_max: number; flat_at?: number }
/** As many as a list may have, and how deep stands what holds no lists and objects itself: the detail of an event. */
const shapes: Partial<Record<UpName, Shape>> = {
  hello: { list_max: limits.packages },
  reply: { list_max: limits.packages },
  event: { list_max: limits.events_per_message, flat_at: 3 },
}
const usual: Shape = { list_max: limits.events_per_message }

export type Read<N extends UpName> = { body: Up[N] | undefined; parts: RefusedPart[]; said: unknown }

/** Reads one payload and leaves out of it what cannot be stored. Without `body` nothing can. */
export function readUpPayload<N extends UpName>(name: N, payload: Uint8Array): Read<N> {
  let said: unknown
  let cut: RefusedPart[] = []
  try {
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8')
    said = JSON.parse(text)
    const found = cutShort(said, shapes[name] ?? usual)
    if (!found) {
      const message = `more than ${limits.values} values`
      return { body: undefined, parts: [{ path: '', reason: 'too_long', message }], said: undefined }
    }
    cut = found
    if (unstorable.test(text)) said = storable(said)
  } catch (error) {
    const part: RefusedPart = { path: '', reason: 'not_json', message: (error as Error).name }
    return { body: undefined, parts: [part], said: undefined }
  }
  const schema = up[name] as unknown as z.ZodType<Up[N]>
  const parsed = schema.safeParse(said)
  if (parsed.success) return { body: parsed.data, parts: cut, said }
  const { value, parts: mended } = mend(schema, said)
  const parts = [...cut, ...mended].slice(0, limits.refused_parts)
  return { body: isWhole(name, value, parts) ? value : undefined, parts, said }
}

/**
 * Leaves out of a payload what would only take long to be found wrong: each fault is a sentence, on the thread that serves everybody.
 * Lists are cut to what one may have and one more, which their schema tells; objects to as many keys as any has. Undefined when
 * there is more in it than any payload holds.
 */
function cutShort(said: unknown, { list_max, flat_at }: Shape): RefusedPart[] | undefined {
  const parts: RefusedPart[] = []
  const tell = (path: string, reason: 'too_long' | 'wrong', message: string) => {
    if (parts.length < limits.refused_parts) parts.push({ path: path.slice(0, 300), reason, message })
  }
  const waiting = isHolder(said) ? [{ value: said, path: '', depth: 0 }] : []
  let values = 1
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, depth } = next
    if (Array.isArray(value)) value.length = Math.min(value.length, list_max + 1)
    const keys = Object.keys(value)
    if (!Array.isArray(value) && keys.length > limits.keys) {
      for (const key of keys.splice(limits.keys)) delete value[key]
      tell(path, 'too_long', `more than ${limits.keys} keys`)
    }
    if ((values += keys.length) > limits.values) return undefined
    for (const key of keys) {
      const each = value[key]
      const at = path === '' ? key : `${path}.${key}`
      if (depth === flat_at && (isHolder(each) || each === Infinity || each === -Infinity)) {
        delete value[key]
        tell(at, 'wrong', 'neither text, number, true, false nor null')
      } else if (isHolder(each)) waiting.push({ value: each, path: at, depth: depth + 1 })
    }
  }
  return parts
}
type Holder = Record<string, unknown>
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

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
