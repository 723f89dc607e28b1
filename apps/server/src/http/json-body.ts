import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from './context.ts'

/** Deeper than any input of the contract; recursion over a stranger's nesting must not exhaust the stack. */
const deepest = 64

/** JSON is the only body a call takes: a form or plain text is what a foreign page can send without being asked. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request: FastifyRequest, text: string, done) => {
    if (text.length === 0) return done(null, {})
    if (isTooDeep(text))
      return done(new Refusal('bad_input', {}, { '': { name: 'too_deep', details: { max: deepest } } }))
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

function isTooDeep(text: string): boolean {
  if (text.length < 2 * deepest) return false
  let depth = 0
  let in_string = false
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i)
    if (in_string) {
      if (c === 0x5c) i += 1
      else if (c === 0x22) in_string = false
    } else if (c === 0x22) in_string = true
    else if (c === 0x5b || c === 0x7b) {
      if ((depth += 1) > deepest) return true
    } else if (c === 0x5d || c === 0x7d) depth -= 1
  }
  return false
}

/** A NUL, or half of a surrogate pair. */
function isUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, v]) => isUnstorable(key) || isUnstorable(v))
}
