import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { authenticateDevice } from '../../../link/credentials.ts'
import { Refusal } from '../../../refusal.ts'
import { believedKeys } from './keys.ts'

/** GET /device/os-keys: what a device believes that holds no key of a publisher yet; it asks once. */
export function mountOsKeys(app: FastifyInstance, deps: Deps): void {
  app.get('/device/os-keys', async (request, reply) => {
    const [, kid, secret] = /^Bearer +([^:\s]+):(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    const device = kid && secret ? await authenticateDevice(deps, kid, secret) : undefined
    if (!device) throw new Refusal('unauthorized')
    return reply
      .header('cache-control', 'no-store')
      .send({ result: 1, message: '', data: { keys: await believedKeys(deps) } })
  })
}
