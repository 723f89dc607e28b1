import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { partOf, textOf } from '../shared/values.ts'

/** What a client says to be let in, once it has proved that it holds the key. */
export type Asked = {
  token: string
  /** Its identity with its names in order: the same device says the same, however it writes it. */
  hardware_id: string
  identity: string
  key: Buffer
}

const pem_max = 4_096
const id_max = 2_048
const curves = ['prime256v1', 'secp384r1', 'secp521r1']
/** A stranger's larger ones take long to reckon with. */
const rsa_bits = { least: 2_048, most: 8_192 }
const exponent_max = 2n ** 32n

/** Undefined of what no client says, and of a body that another key has signed. */
export function readAsked(body: Buffer, signature: unknown): Asked | undefined {
  const said = partOf(parsed(body.toString()))
  const [pem, id_data] = [said['pubkey'], said['id_data']]
  const token = textOf(said['tenant_token'], 256)
  if (!token || typeof pem !== 'string' || pem.length > pem_max) return undefined
  const key = keyOf(pem)
  if (!key || !isSigned(body, signature, key)) return undefined
  if (typeof id_data !== 'string' || id_data.length > id_max) return undefined
  const parts = Object.entries(partOf(parsed(id_data))).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (parts.length === 0) return undefined
  const identity = parts.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return {
    token,
    hardware_id: JSON.stringify(parts),
    identity: textOf(identity.join(' '), 60) ?? '',
    key: key.export({ type: 'spki', format: 'der' }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function keyOf(pem: string): KeyObject | undefined {
  // A private key would be read as its public one.
  if (!pem.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return undefined
  try {
    const key = createPublicKey(pem)
    const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
    const is_rsa =
      key.asymmetricKeyType === 'rsa' &&
      modulusLength >= rsa_bits.least &&
      modulusLength <= rsa_bits.most &&
      publicExponent <= exponent_max
    const is_ec = key.asymmetricKeyType === 'ec' && curves.includes(namedCurve)
    return is_rsa || is_ec || key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}

function isSigned(body: Buffer, signature: unknown, key: KeyObject): boolean {
  if (typeof signature !== 'string' || signature.length > pem_max) return false
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return verify(digest, body, key, Buffer.from(signature, 'base64'))
}
