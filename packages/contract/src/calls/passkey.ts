import * as z from 'zod'
import { Instant, JsonValue, Kid } from '../wire.ts'

/** Bytes as browsers send them. */
const Bytes = (max: number) => z.string().max(max)
const Extensions = z.record(z.string(), JsonValue).default({})

/** What `navigator.credentials` takes, as JSON (WebAuthn, 5.1.8 and 5.1.9). */
export const PasskeyOptions = z.object({ options: z.record(z.string(), z.unknown()) })

/** What it answers for a new passkey. */
export const NewPasskey = z.object({
  id: Bytes(1_400),
  rawId: Bytes(1_400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Bytes(8_192),
    attestationObject: Bytes(65_536),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: Extensions,
})

/** What it answers where one is used. */
export const PasskeyAnswer = z.object({
  id: Bytes(1_400),
  rawId: Bytes(1_400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Bytes(8_192),
    authenticatorData: Bytes(8_192),
    signature: Bytes(8_192),
    userHandle: Bytes(200).nullable().optional(),
  }),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: Extensions,
})

export const Passkey = z.object({
  kid: Kid,
  name: z.string(),
  is_synced: z.boolean().describe('kept by a service for all devices of the person, instead of on one'),
  created_at: Instant,
  last_use_at: Instant.nullable(),
})
export type Passkey = z.output<typeof Passkey>
