import type { FastifyInstance } from 'fastify'
import { openapi } from '@mdm/contract/openapi.ts'

/** The description of every call, for people and for generators of clients. */
export function mountOpenapi(app: FastifyInstance): void {
  let text: string | undefined
  app.get('/api/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(openapi())
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(text)
  })
}
