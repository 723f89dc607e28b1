import { createCipheriv, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { packEnvelope, signedBytes, withoutSecrets } from '@mdm/device-link'
import type { Staging } from '@mdm/device-link'
import { keyId } from './keys.ts'
import type { StagingKey } from './keys.ts'

const deflate = promisify(deflateRaw)
const iv_bytes = 12

/**
 * A payload as the bytes of an envelope: what `isSecret` says is closed to all but the devices of the account, the whole is
 * signed, and deflated where that makes it smaller.
 */
export async function envelopeOf(
  staging: Omit<Staging, 'sealed'>,
  key: StagingKey,
  isSecret: (module: string, field: string) => boolean,
): Promise<Uint8Array> {
  const { content, secrets } = withoutSecrets(staging.content, isSecret)
  const sealed = secrets.length > 0 ? { sealed: sealedWith(key, staging, JSON.stringify(secrets)) } : {}
  const text = Buffer.from(JSON.stringify({ ...staging, content, ...sealed }))
  const smaller = await deflate(text, { level: 9 })
  const is_deflated = smaller.length < text.length
  const of = { is_deflated, key: keyId(key.public_key), body: is_deflated ? smaller : text }
  return packEnvelope({ ...of, signature: sign(null, signedBytes(of), key.private_key) })
}

/** Bound to its configuration: it cannot be moved into another one. */
function sealedWith({ secret }: StagingKey, { account, id }: Pick<Staging, 'account' | 'id'>, text: string): string {
  const iv = randomBytes(iv_bytes)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  cipher.setAAD(Buffer.from(`${account}/${id}`))
  const closed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), closed]).toString('base64')
}
