import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { deviceOf } from '../../../link/credentials.ts'
import { keysForDevice } from './keys.ts'

/** GET /device/staging-keys: by what a device checks and opens the staging codes of its account. */
export function mountStagingKeys(app: FastifyInstance, deps: Deps): void {
  app.get('/device/staging-keys', async (request, reply) => {
    const { account_kid } = await deviceOf(deps, request.headers.authorization)
    const data = await keysForDevice(deps, account_kid)
    return reply.header('cache-control', 'no-store').send({ result: 1, message: '', data })
  })
}
