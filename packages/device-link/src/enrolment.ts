import * as z from 'zod'

/**
 * A serial number is a label that people read and type, so it is printable and at most 36 characters (specification, 5), and
 * one in any letter case: it is kept in capitals.
 */
export const Sn = z
  .string()
  .trim()
  .toUpperCase()
  .min(1)
  .max(36)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, 'must match regular expression ^[A-Za-z0-9][A-Za-z0-9._:-]*$')
const hex64 = z.string().regex(/^[0-9a-f]{64}$/)
const label = z.string().max(64)

/** Versions of this protocol that the server speaks. A device of another is told to upgrade (46005). */
export const protocolVersions: readonly number[] = [1]

/** POST /device/announce, not signed in. Announcements live 7 days and are limited per address. */
export const Announce = z.object({
  sn: Sn,
  model: label,
  os_name: label,
  os_version: label,
  service_version: label,
  protocol_version: z.number().int().min(1).max(1000),
  imei: z.string().max(40).optional(),
  claim_hash: hex64.describe(
    'SHA-256, lower-case hex, of the claim: 64 hex characters of 32 random bytes that the device keeps',
  ),
})
export const Announced = z.object({
  registration_code: z
    .string()
    .regex(/^[A-Z2-9]{6}$/)
    .describe('shown on the device; typed or scanned by the operator'),
  poll_seconds: z.number().int().min(1),
})

/** POST /device/enrol. With a QR token the device is registered at once. */
export const Enrol = z.object({ sn: Sn, claim: hex64, qrcode: z.string().max(200).optional() })
export const Enrolled = z.discriminatedUnion('state', [
  z.object({ state: z.literal('waiting'), poll_seconds: z.number().int().min(1) }),
  z.object({
    state: z.literal('registered'),
    kid: z.uuid(),
    secret: hex64.describe('given once; the MQTT password and, as Bearer kid:secret, the credential of bulk data'),
    mqtt: z.array(z.string()).min(1).describe('addresses in order of preference: mqtt://, mqtts://, ws://, wss://'),
    time: z.iso.datetime(),
  }),
])
/**
 * GET /device/standing, with `Bearer kid:secret`: what a device asks after its CONNECT was refused with 4 or 5. Before
 * `retry_after` seconds are over it does not connect again.
 */
export const StandingReply = z.object({
  state: z
    .enum(['registered', 'quarantined', 'unknown'])
    .describe('unknown: canceled or a wrong secret; quarantined: two machines use this secret'),
  retry_after: z.number().int().min(0).describe('seconds; longer each time'),
  mqtt: z.array(z.string()).min(1).optional().describe('of a device that is registered: where it connects to'),
  quarantined_until: z.iso.datetime().optional().describe('of a device in quarantine, which may be lifted before'),
})
export const enrolment = {
  announce: { input: Announce, output: Announced },
  enrol: { input: Enrol, output: Enrolled },
} as const
