import { request as httpRequest } from 'node:http'
import type { RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Address } from '../../../lib/address.ts'

const max_answer_bytes = 4_096

/**
 * Posts `body` and returns the status of the answer. The connection goes to one of `addresses`, whatever the host's
 * name means by now. Nothing is followed; what is answered beside the status is dropped. Throws when there was none.
 */
export function post(
  { url, addresses }: { url: URL; addresses: Address[] },
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<number> {
  const lookup: NonNullable<RequestOptions['lookup']> = (_host, options, found) => {
    if (options.all) found(null, addresses)
    else found(null, addresses[0]!.address, addresses[0]!.family)
  }
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    let status: number | undefined
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        // A connection of its own: one that is kept open was made to what the name meant before.
        agent: false,
        lookup,
        signal,
      },
      (answer) => {
        const found = (status = answer.statusCode ?? 0)
        let bytes = 0
        const end = () => {
          answer.destroy()
          resolve(found)
        }
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > max_answer_bytes) end()
        })
        answer.on('end', end).on('error', end).on('close', end)
      },
    )
    // Whoever has said how it went need not end the answer.
    sent.on('error', (error) => (status === undefined ? reject(error) : resolve(status)))
    sent.end(body)
  })
}
