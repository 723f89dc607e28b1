import type { FieldFault } from '@mdm/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
/** Deeper than any input of the contract; recursion over a stranger's nesting must not exhaust the stack. */
const deepest = 64
/**
 * More than any body has. A stranger's million of wrong values would be a million faults, each a sentence, on the thread that
 * serves everybody. Only calls that say so take whole sheets (`body_bytes`).
 */
const values_max = 20_000
const values_of_sheet = 500_000

/** JSON is the only body a call takes: a form or plain text is what a foreign page can send without being asked. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request: FastifyRequest, text: string, done) => {
    if (text.length === 0) return done(null, {})
    const is_sheet = request.routeOptions.config.call?.body_bytes !== undefined
    const fault = shapeFault(text, is_sheet ? values_of_sheet : values_max)
    if (fault) return done(new Refusal('bad_input', {}, { '': fault }))
    void parse(request, text, (error, body) => {
      if (error) return done(error)
      // No column can hold it.
      if (/\\u(0000|d[89a-f])/i.test(text) && isUnstorable(body))
        return done(
          new Refusal('bad_input', {}, { '': { name: 'illegal_character', pattern: String.raw`^[^\0\p{Cs}]*$` } }),
        )
      done(null, body)
    })
  })
}

/** What would make reading it take long, found before it is read. */
export function shapeFault(text: string, values_most: number, depth_most = deepest): FieldFault | undefined {
  if (text.length < 2 * depth_most) return undefined
  let depth = 0
  let values = 0
  let in_string = false
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i)
    if (in_string) {
      if (c === 0x5c) i += 1
      else if (c === 0x22) in_string = false
    } else if (c === 0x22) in_string = true
    else if (c === 0x5b || c === 0x7b) {
      values += 1
      if ((depth += 1) > depth_most) return { name: 'too_deep', details: { max: depth_most } }
    } else if (c === 0x5d || c === 0x7d) depth -= 1
    else if (c === 0x2c) values += 1
    if (values > values_most) return { name: 'too_many', details: { max: values_most } }
  }
  return undefined
}

/** A NUL, or half of a surrogate pair. */
function isUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, v]) => isUnstorable(key) || isUnstorable(v))
}
