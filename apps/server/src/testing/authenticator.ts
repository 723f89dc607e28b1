import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Options = { challenge: string; rp?: { id?: string }; rpId?: string; user?: { id: string } }
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()
const flags = { present: 1, verified: 4, attested: 0x40 } as const

/** An authenticator (WebAuthn) with one passkey, as a browser at `origin` would use it. */
export function softAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
  const credential_id = randomBytes(16)
  const id = credential_id.toString('base64url')
  let counter = 0
  let user_handle: string | undefined

  const clientData = (type: string, challenge: string, at: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }))
  const authData = (rp_id: string, bits: number, more: Uint8Array = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rp_id), Buffer.from([bits]), count, more])
  }
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  return {
    id,
    /** Signatures so far; a copy of the passkey would begin with fewer. */
    setCounter: (value: number) => void (counter = value),
    create({ challenge, rp, user }: Options) {
      user_handle = user?.id
      // COSE: EC2, ES256, P-256.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credential_id.length]), credential_id, key])
      const data = authData(rp?.id ?? '', flags.present | flags.verified | flags.attested, attested)
      const object = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return {
        id,
        rawId: id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: object.toString('base64url'),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      }
    },
    /** `is_verified`: whether the person showed that it is they; `at`: the page that asks. */
    get({ challenge, rpId }: Options, { is_verified = true, at = origin } = {}) {
      counter++
      const client_data = clientData('webauthn.get', challenge, at)
      const data = authData(rpId ?? '', flags.present | (is_verified ? flags.verified : 0))
      return {
        id,
        rawId: id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: client_data.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(client_data)]), privateKey).toString('base64url'),
          userHandle: user_handle,
        },
        clientExtensionResults: {},
      }
    },
  }
}
