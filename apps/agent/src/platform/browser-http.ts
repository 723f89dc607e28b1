import type { HttpAnswer, HttpRequest } from '../http.ts'

/** As the core knows a network that is not there. */
const unreachable = 'ECONNABORTED'
const json_max = 16 * 1_048_576

/** One request by `fetch`. A browser follows redirects itself and keeps credentials from other origins. */
export async function httpRequest(url: URL, init: HttpRequest): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, redirect = 'follow', signal } = init
  const sent = body === undefined || typeof body === 'string' ? body : await whole(body)
  const response = await fetch(url, {
    method,
    // The browser counts by itself, and lets nobody else.
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length')),
    ...(sent !== undefined && { body: sent }),
    redirect,
    signal,
    credentials: 'omit',
  }).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof TypeError)) throw error
    throw Object.assign(new Error(`${url.origin} cannot be reached`, { cause: error }), { code: unreachable })
  })
  return {
    status: response.status,
    ok: response.ok,
    header: (name) => response.headers.get(name) ?? undefined,
    body: chunksOf(response),
    async json() {
      const text = await response.text()
      if (text.length > json_max) throw new Error('The answer is too long')
      return JSON.parse(text) as unknown
    },
    cancel: () => void response.body?.cancel().catch(() => undefined),
  }
}

/** No browser sends a body piece by piece over HTTP/1.1. */
async function whole(body: AsyncIterable<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of body) pieces.push(new Uint8Array(piece))
  return new Blob(pieces)
}

/** Safari lets nobody iterate over a stream. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
