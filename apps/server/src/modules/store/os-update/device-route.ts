import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { deviceOf } from '../../../link/credentials.ts'
import { believedKeys } from './keys.ts'

/** GET /device/os-keys: what a device believes that holds no key of a publisher yet; it asks once. */
export function mountOsKeys(app: FastifyInstance, deps: Deps): void {
  app.get('/device/os-keys', async (request, reply) => {
    await deviceOf(deps, request.headers.authorization)
    return reply
      .header('cache-control', 'no-store')
      .send({ result: 1, message: '', data: { keys: await believedKeys(deps) } })
  })
}
