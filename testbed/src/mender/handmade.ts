import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

type Keys = { privateKey: KeyObject; publicKey: KeyObject }
const pem = ({ publicKey }: Keys): string => publicKey.export({ type: 'spki', format: 'pem' }).toString()
export const ed25519 = (): Keys => generateKeyPairSync('ed25519')

type Options = { server: string; token: string; mac: string; keys?: Keys }

/** What a Mender client says over the wire, word by word. */
export class HandmadeClient {
  readonly #options: Options
  keys: Keys
  bearer = ''

  constructor(options: Options) {
    this.#options = options
    this.keys = options.keys ?? ed25519()
  }

  /** `more` of the body, which is signed by `by` or with `signature` in place of one. */
  async ask(
    more: object = {},
    { by = this.keys, signature }: { by?: Keys; signature?: string } = {},
  ): Promise<Response> {
    const { token, mac } = this.#options
    const said = { id_data: JSON.stringify({ mac }), pubkey: pem(this.keys), tenant_token: token, ...more }
    const body = Buffer.from(JSON.stringify(said))
    const digest = by.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    const answer = await this.send('POST', '/v1/authentication/auth_requests', body, {
      'x-men-signature': signature ?? sign(digest, body, by.privateKey).toString('base64'),
    })
    if (answer.status === 200) this.bearer = await answer.clone().text()
    return answer
  }

  async is_in(): Promise<boolean> {
    return (await this.ask()).status === 200
  }

  attributes = (values: Record<string, unknown>, method = 'PATCH'): Promise<Response> =>
    this.say(
      method,
      '/v1/inventory/device/attributes',
      Object.entries(values).map(([name, value]) => ({ name, value })),
    )

  next = (device_provides: object = { device_type: 'till', artifact_name: 'till-1.0.0' }): Promise<Response> =>
    this.say('POST', '/v2/deployments/device/deployments/next', { device_provides })

  status = (id: string, status: string, more: object = {}): Promise<Response> =>
    this.say('PUT', `/v1/deployments/device/deployments/${id}/status`, { status, ...more })

  say = (method: string, path: string, body?: unknown): Promise<Response> =>
    this.send(method, path, body === undefined ? undefined : JSON.stringify(body), {
      authorization: `Bearer ${this.bearer}`,
    })

  send(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ): Promise<Response> {
    return fetch(`${this.#options.server}/api/devices${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
    })
  }
}
