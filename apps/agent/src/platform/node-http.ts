import { request as plain } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as secure } from 'node:https'
import { Readable } from 'node:stream'

import type { HttpAnswer, HttpRequest } from '../http.ts'
import { inTime } from '../lost-clock.ts'

const redirects_max = 5
const json_max = 16 * 1_048_576

/**
 * One request. The `fetch` of Node does the same and keeps 6 MB of memory for it, a tenth of what the agent has at rest. Credentials
 * do not go along to another address.
 */
export async function httpRequest(url: URL, init: HttpRequest): Promise<HttpAnswer> {
  const { redirect = 'follow' } = init
  let at = url
  let headers = init.headers ?? {}
  for (let turn = 0; ; turn += 1) {
    const response = await send(at, { ...init, headers })
    const { statusCode: status = 0 } = response
    const location = status >= 300 && status < 400 && status !== 304 ? response.headers.location : undefined
    if (location === undefined || redirect === 'manual') return answerOf(response)
    response.destroy()
    if (redirect === 'error' || init.body !== undefined || turn >= redirects_max)
      throw new Error(`${at.origin} redirects`)
    const next = new URL(location, at)
    if (next.protocol !== 'http:' && next.protocol !== 'https:') throw new Error(`Not http or https: ${next.protocol}`)
    if (next.origin !== at.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'))
    at = next
  }
}

function send(url: URL, { method = 'GET', headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const request = (url.protocol === 'https:' ? secure : plain)(url, {
      method,
      headers: { ...headers, ...length },
      signal,
    })
    request.on('error', (error) => reject(signal.aborted ? signal.reason : inTime(error)))
    request.on('response', resolve)
    if (body === undefined || typeof body === 'string') return void request.end(body)
    const source = Readable.from(body, { objectMode: false })
    source.on('error', (error) => request.destroy(error))
    request.on('close', () => source.destroy())
    source.pipe(request)
  })
}

function answerOf(response: IncomingMessage): HttpAnswer {
  const { statusCode: status = 0 } = response
  return {
    status,
    ok: status >= 200 && status < 300,
    header: (name) => {
      const value = response.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: response,
    async json() {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of response) {
        chunks.push(chunk as Buffer)
        size += (chunk as Buffer).length
        if (size > json_max) throw new Error('The answer is too long')
      }
      return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
    },
    cancel: () => void response.destroy(),
  }
}
