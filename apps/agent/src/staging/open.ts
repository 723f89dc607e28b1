import { createDecipheriv, createHash, createPublicKey, verify } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import {
  signedBytes,
  Staging,
  StagingFault,
  stagingLimits,
  StagingSecrets,
  unpackEnvelope,
  withSecrets,
} from '@mdm/device-link'
import type { StagingEnvelope, StagingKeys, StagingRefusal } from '@mdm/device-link'

/** Why a code that was read right is not obeyed. The message is for the person who holds the device. */
export class StagingRefused extends Error {
  constructor(
    readonly code: StagingRefusal,
    message: string,
    readonly staging: Staging,
  ) {
    super(message)
  }
}

/** Clocks of server and device may differ by so much. */
const clock_slack_ms = 24 * 60 * 60_000
const spki_head = Buffer.from('302a300506032b6570032100', 'hex')
const iv_bytes = 12
const tag_bytes = 16

/** What the body says, whoever has written it. @throws StagingFault */
export function readStaging(envelope: StagingEnvelope): Staging {
  try {
    const text = envelope.is_deflated
      ? inflateRawSync(envelope.body, { maxOutputLength: stagingLimits.body_bytes })
      : Buffer.from(envelope.body)
    return Staging.parse(JSON.parse(text.toString('utf8')))
  } catch {
    throw new StagingFault('corrupt', 'This staging code does not say what staging codes say')
  }
}

/** @throws StagingRefused when it has expired by this clock, or the clock cannot be right */
export function assertInTime(staging: Staging, now: Date): void {
  if (now.getTime() < new Date(staging.issued_at).getTime() - clock_slack_ms)
    throw new StagingRefused('clock', 'The clock of this device is wrong: set it, then scan again', staging)
  if (now >= new Date(staging.expires_at))
    throw new StagingRefused('expired', `This code expired at ${staging.expires_at}: ask for a new one`, staging)
}

/** The body with its secret fields, once it is known that the account of this device wrote it. @throws StagingRefused, StagingFault */
export function openStaging(bytes: Uint8Array, keys: StagingKeys): Staging {
  const envelope = unpackEnvelope(bytes)
  const staging = readStaging(envelope)
  const refuse = (code: StagingRefused['code'], message: string): never => {
    throw new StagingRefused(code, message, staging)
  }
  if (staging.account !== keys.account)
    refuse('other_account', 'This code is of another account than this device: it changes nothing here')
  const key = keys.keys.find((one) => keyIdOf(Buffer.from(one.public_key, 'base64')).equals(envelope.key))
  if (!key)
    return refuse('key_unknown', 'This device does not hold the key of this code: connect it once, then scan again')
  const own = createPublicKey({
    key: Buffer.concat([spki_head, Buffer.from(key.public_key, 'base64')]),
    format: 'der',
    type: 'spki',
  })
  if (!verify(null, signedBytes(envelope), own, envelope.signature))
    refuse('unsigned', 'This code is not signed by the account, or was changed: it is not obeyed')
  if (staging.sealed === undefined) return staging
  try {
    const sealed = Buffer.from(staging.sealed, 'base64')
    const opened = createDecipheriv('aes-256-gcm', Buffer.from(key.secret, 'base64'), sealed.subarray(0, iv_bytes))
    opened.setAuthTag(sealed.subarray(iv_bytes, iv_bytes + tag_bytes))
    opened.setAAD(Buffer.from(`${staging.account}/${staging.id}`))
    const text = Buffer.concat([opened.update(sealed.subarray(iv_bytes + tag_bytes)), opened.final()]).toString('utf8')
    return { ...staging, content: withSecrets(staging.content, StagingSecrets.parse(JSON.parse(text))) }
  } catch {
    throw new StagingFault('corrupt', 'The secret fields of this code cannot be opened')
  }
}

const keyIdOf = (public_key: Buffer): Buffer => createHash('sha256').update(public_key).digest().subarray(0, 8)
