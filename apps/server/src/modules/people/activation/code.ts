import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { activationOutcomes } from '@mdm/contract'
import type { ActivationOutcome } from '@mdm/contract'
import * as z from 'zod'

/** What an activation code says; signed by the provider. */
const Payload = z.object({
  kid: z.uuid(),
  issue: z.number().int().min(1),
  name: z.string(),
  max_accounts: z.number().int().min(1),
  max_devices: z.number().int().min(1),
  macs: z.array(z.string()),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
})
export type CodePayload = z.output<typeof Payload>
const Ended = z.object({ kid: z.uuid() })

/** What a signature is of: one of a code is none of an end. */
const kinds = { code: 'MDM1', ended: 'MDMX1' } as const

export type SigningKey = { private: KeyObject; public_key: string }

/** A new key of a provider, as it is kept. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')

export function readSigningKey(kept: string): SigningKey {
  const key = createPrivateKey({ key: Buffer.from(kept, 'base64url'), format: 'der', type: 'pkcs8' })
  return { private: key, public_key: String(createPublicKey(key).export({ format: 'jwk' }).x) }
}

const signed = (kind: keyof typeof kinds, key: SigningKey, payload: object): string => {
  const body = `${kinds[kind]}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`
  return `${body}.${sign(null, Buffer.from(body), key.private).toString('base64url')}`
}

/** Undefined when it was not signed by the holder of this key (base64url), or says something else than it must. */
function opened<T extends z.ZodType>(kind: keyof typeof kinds, public_key: string, text: string, schema: T) {
  const [head, payload = '', signature = '', ...rest] = text.split('.')
  if (head !== kinds[kind] || rest.length > 0) return undefined
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: public_key }, format: 'jwk' })
    const is_right = verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))
    if (!is_right) return undefined
    return schema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).data as
      z.output<T> | undefined
  } catch {
    return undefined
  }
}

export const signCode = (key: SigningKey, payload: CodePayload): string => signed('code', key, payload)
/** Of whatever shape a person pastes it in: lines may be broken. */
export const plainCode = (text: string): string => text.replace(/\s+/g, '')
export const readCode = (public_key: string, code: string): CodePayload | undefined =>
  opened('code', public_key, plainCode(code), Payload)

export const signEnd = (key: SigningKey, kid: string): string => signed('ended', key, { kid })
export const isEnd = (public_key: string, text: string, kid: string): boolean =>
  opened('ended', public_key, text, Ended)?.kid === kid

const receipt_digits = 15

/**
 * What the holder of a code says of it, short enough to be typed: which of the outcomes, and 15 digits that nobody can give
 * who does not hold the code.
 */
export function receiptOf(code: string, outcome: ActivationOutcome): string {
  const key = createHash('sha256')
    .update(`receipt ${plainCode(code)}`)
    .digest()
  const mac = createHmac('sha256', key).update(outcome).digest()
  const digits = String(mac.readBigUInt64BE() % 10n ** BigInt(receipt_digits)).padStart(receipt_digits, '0')
  return [activationOutcomes.indexOf(outcome) + 1, ...digits.match(/\d{5}/g)!].join('-')
}

/** The outcome that a receipt of this code says, as a person may have typed it; undefined when it is none of it. */
export function readReceipt(code: string, typed: string): ActivationOutcome | undefined {
  const digits = typed.replace(/\D/g, '')
  return activationOutcomes.find((outcome) => receiptOf(code, outcome).replaceAll('-', '') === digits)
}
