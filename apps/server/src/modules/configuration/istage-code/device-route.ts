import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { authenticateDevice } from '../../../link/credentials.ts'
import { Refusal } from '../../../refusal.ts'
import { keysForDevice } from './keys.ts'

/** GET /device/staging-keys: by what a device checks and opens the staging codes of its account. */
export function mountStagingKeys(app: FastifyInstance, deps: Deps): void {
  app.get('/device/staging-keys', async (request, reply) => {
    const [, kid, secret] = /^Bearer +([^:\s]+):(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    const device = kid && secret ? await authenticateDevice(deps, kid, secret) : undefined
    if (!device) throw new Refusal('unauthorized')
    const data = await keysForDevice(deps, device.account_kid)
    return reply.header('cache-control', 'no-store').send({ result: 1, message: '', data })
  })
}
