import { urlFile } from '@mdm/contract'

/** A console that nobody answers begins without the file: it must not keep anybody waiting. */
const patience_ms = 3_000
let base = ''

/**
 * Reads where the server is (`url.json` beside the console): a private deployment may serve its console from elsewhere. A
 * file that is missing or says nothing is logged only; the server is then where the console came from.
 */
export async function loadBaseUrl(): Promise<void> {
  try {
    const reply = await fetch(`/${urlFile}`, { signal: AbortSignal.timeout(patience_ms) })
    if (!reply.ok) throw new Error(`HTTP ${reply.status}`)
    const { base_url } = (await reply.json()) as { base_url?: unknown }
    base = baseOf(base_url)
  } catch (error) {
    base = ''
    console.info(`${urlFile} is missing: the server is where this console came from`, error)
  }
}

/** Without a slash at the end; empty is the address of the page. */
function baseOf(base_url: unknown): string {
  if (typeof base_url !== 'string' || base_url === '') return ''
  const { protocol, origin, pathname } = new URL(base_url)
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`no address of a server: ${base_url}`)
  const address = `${origin}${pathname}`.replace(/\/+$/, '')
  return address === location.origin ? '' : address
}

/** A path of the server as an address. */
export const serverUrl = (path: string): string => `${base}${path}`
/** Where the server is, as a whole address. */
export const serverAddress = (): string => base || location.origin

/** Paths of files in an answer lead to the server that answered. */
export function withServer<T>(answer: T): T {
  if (base === '') return answer
  if (typeof answer === 'string') return (answer.startsWith('/files/') ? serverUrl(answer) : answer) as T
  if (Array.isArray(answer)) return answer.map(withServer) as T
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, withServer(value as unknown)])) as T
}
