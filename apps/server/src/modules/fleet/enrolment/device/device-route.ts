import { fieldFaultsOf } from '@mdm/contract'
import { enrolment } from '@mdm/device-link'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Deps } from '../../../../deps.ts'
import { assertDisk } from '../../../../lib/disk-room.ts'
import { announce, enrol, enrolmentLimits, standing } from '../index.ts'
import { Refusal } from '../../../../refusal.ts'
import { refuseRequest } from '../../../../http/refusals.ts'
import { digest } from '../../../../lib/ids.ts'
import { bearerOf } from '../../../../link/credentials.ts'

/** No enrolment request is anywhere near this. */
const options = { bodyLimit: 16_384 }
const too_large = { max: '16 KiB' }

/**
 * What a device that is not registered may say. Replies are the plain JSON of packages/device-link; refusals are the
 * usual envelope with its HTTP status.
 */
export async function deviceRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const limits = enrolmentLimits(deps.clock)
  await app.register(async (device) => {
    device.setErrorHandler<FastifyError>((error, request, reply) =>
      refuseRequest(deps, error.statusCode === 413 ? tooLarge() : error, request, reply),
    )
    device.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
    device.post('/device/announce', options, (request) => {
      limits.announce.take(request.ip)
      assertDisk(deps)
      return announce(deps, request.ip, parse(enrolment.announce.input, request))
    })
    device.post('/device/enrol', options, async (request) => {
      const key = keyOf(request.body)
      limits.enrol.take(request.ip, key)
      assertDisk(deps)
      const enrolled = await enrol(deps, parse(enrolment.enrol.input, request), askedAddress(request))
      limits.enrol.noteRight(key)
      return enrolled
    })
    device.get('/device/standing', async (request, reply) => {
      const { kid, secret } = bearerOf(request.headers.authorization)
      const key = digest(`${kid}:${secret}`).toString('hex')
      limits.enrol.take(request.ip, key)
      if (!kid || !secret) throw new Refusal('unauthorized')
      const said = await standing(deps, kid, secret, askedAddress(request))
      if (said.state !== 'unknown') limits.enrol.noteRight(key)
      return reply.header('retry-after', said.retry_after).send(said)
    })
  })
}

/** Where the device itself reaches this server; behind a proxy that is trusted, over what it says. */
const askedAddress = ({ headers, protocol }: FastifyRequest): string | undefined =>
  headers.host === undefined ? undefined : `${protocol}://${headers.host}`

/** Who asks: a digest of SN and claim. */
function keyOf(body: unknown): string {
  const { sn, claim } = Object(body) as Record<string, unknown>
  return digest(JSON.stringify([sn, claim])).toString('hex')
}

const tooLarge = () => new Refusal('too_large', too_large) as unknown as FastifyError

function parse<T extends z.ZodType>(schema: T, request: FastifyRequest): z.output<T> {
  const parsed = schema.safeParse(request.body)
  if (parsed.success) return parsed.data
  throw new Refusal('bad_input', {}, fieldFaultsOf(parsed.error, request.body))
}
