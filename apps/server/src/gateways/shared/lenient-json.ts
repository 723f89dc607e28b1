import type { FastifyInstance } from 'fastify'
import { shapeFault } from '../../http/json-body.ts'

const deepest = 200
/** More than any agent says; a stranger's millions would take long to read. */
const values_max = 200_000

/** A body that is refused is said again for ever: what is no JSON, or too deep, is read as nothing. */
export function lenientJson(app: FastifyInstance, content_types: string[]): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(content_types, { parseAs: 'string' }, (_request, text: string, done) => {
    try {
      done(null, shapeFault(text, values_max, deepest) ? undefined : JSON.parse(text))
    } catch {
      done(null, undefined)
    }
  })
}
