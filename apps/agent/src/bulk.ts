import { httpRequest } from '#platform'
import * as z from 'zod'
import { TaskFailure } from './body/body.ts'
import type { FileOf, Landing } from './body/body.ts'
import { jitteredDelay, wait } from './clock.ts'
import type { Clock } from './clock.ts'
import type { Credentials } from './enrol.ts'
import type { HttpAnswer, HttpRequest } from './http.ts'
import type { Turns } from './turns.ts'

export type Bulk = {
  credentials: Credentials
  clock: Clock
  reconnect: { base_ms: number; cap_ms: number }
  /** Of downloads to one place: two tasks with the same file would write into the same bytes. */
  turns: Turns
}

/** Answers without a single new byte before a transfer is given up. */
const patience = 8
const stall_ms = 60_000
/** How long a server that cannot be reached at all is waited for: longer than a restart or a walk through a cellar. */
const absence_ms = 30 * 60_000

/** Counts what went wrong in a row and says when it is enough. What never reached the server is no answer of it. */
function patienceOf({ clock }: Pick<Bulk, 'clock'>) {
  let delays = 0
  let answers = 0
  let absent_since: number | undefined
  return {
    /** Something went on: from the start again. */
    reset() {
      delays = answers = 0
      absent_since = undefined
    },
    /** Tries so far, for the delay before the next; undefined when it is over. */
    afterFailure(error: unknown): number | undefined {
      const now = clock.now().getTime()
      if (error instanceof Unreachable) {
        absent_since ??= now
        if (now - absent_since >= absence_ms) return undefined
      } else {
        absent_since = undefined
        answers += 1
        if (answers >= patience) return undefined
      }
      return delays++
    },
  }
}

/** No answer came, because nobody could be asked. */
class Unreachable extends Error {}
const network = /^(ECONN|EHOST|ENET|ENOTFOUND$|EAI_|ETIMEDOUT$|EPIPE$)/
const reach = (url: URL, init: HttpRequest): Promise<HttpAnswer> =>
  httpRequest(url, init).catch((error: unknown) => {
    if (!network.test(String((Object(error) as { code?: unknown }).code))) throw error
    throw new Unreachable(reasonOf(error), { cause: error })
  })

/** The credential goes to the server this device enrolled with and to nobody else; another address must carry its own signature. */
export function bulkRequest(credentials: Credentials, address: string): { url: URL; headers: Record<string, string> } {
  let url: URL
  try {
    url = new URL(address, credentials.server)
  } catch {
    throw new TaskFailure('bad_url', 'The address is not valid')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TaskFailure('bad_url', `Not http or https: ${url.protocol}`)
  const is_own = url.origin === new URL(credentials.server).origin
  return { url, headers: is_own ? { authorization: `Bearer ${credentials.kid}:${credentials.secret}` } : {} }
}

/**
 * What the server answers in JSON at an address of its own, asked for again until it can be had: a server that starts anew is no
 * reason to give a task up.
 * @throws TaskFailure `download_failed`; what `parse` throws of an answer counts as one that went wrong
 */
export async function fetchJson<T>(
  bulk: Bulk,
  address: string,
  parse: (json: unknown) => T,
  signal: AbortSignal,
): Promise<T> {
  const { url, headers } = bulkRequest(bulk.credentials, address)
  const failures = patienceOf(bulk)
  for (;;) {
    try {
      const response = await reach(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(stall_ms)]) })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      return parse(await response.json())
    } catch (error) {
      signal.throwIfAborted()
      const tries = failures.afterFailure(error)
      if (tries === undefined) throw new TaskFailure('download_failed', `${url.pathname}: ${reasonOf(error)}`)
      await wait(bulk.clock, jitteredDelay(tries, bulk.reconnect), signal)
    }
  }
}

/** Fetches a file into its landing, resuming after cuts, and leaves it there complete and verified, not yet placed. */
export async function download(
  bulk: Bulk,
  file: FileOf,
  landing: Landing,
  signal: AbortSignal,
  on_progress: (bytes: number) => void,
): Promise<void> {
  const failures = patienceOf(bulk)
  let has_begun_anew = false
  let was_resumed = landing.position > 0
  for (;;) {
    const before = landing.position
    try {
      if (landing.position > file.size) await landing.reset()
      if (landing.position < file.size) await fetchRest(bulk.credentials, file, landing, signal, on_progress)
      const { md5, sha256 } = landing.digests()
      if (md5 === file.md5 && sha256 === file.sha256) return
      await landing.reset()
      // Bytes of an earlier try may have been damaged since: they get one more chance, from the start.
      if (!was_resumed || has_begun_anew)
        throw new TaskFailure('hash_mismatch', `${file.name}: the bytes are not those that were announced`)
      was_resumed = false
      has_begun_anew = true
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof TaskFailure) throw error
      if (landing.position > before) failures.reset()
      const tries = failures.afterFailure(error)
      if (tries === undefined) throw new TaskFailure('download_failed', `${file.name}: ${reasonOf(error)}`)
      await wait(bulk.clock, jitteredDelay(tries, bulk.reconnect), signal)
      was_resumed = landing.position > 0
    }
  }
}

async function fetchRest(
  credentials: Credentials,
  file: FileOf,
  landing: Landing,
  signal: AbortSignal,
  on_progress: (bytes: number) => void,
): Promise<void> {
  const { url, headers } = bulkRequest(credentials, file.url)
  if (landing.position > 0) {
    headers['range'] = `bytes=${landing.position}-`
    headers['if-range'] = `"${file.sha256}"`
  }
  const stalled = new AbortController()
  let timer = setTimeout(() => stalled.abort(), stall_ms)
  try {
    const response = await reach(url, { headers, signal: AbortSignal.any([signal, stalled.signal]) })
    if (response.status === 206) {
      const from = /^bytes (\d+)-/.exec(response.header('content-range') ?? '')?.[1]
      if (Number(from) !== landing.position) throw new Error(`asked for byte ${landing.position}, got ${from}`)
    } else if (response.status === 200) {
      if (landing.position > 0) await landing.reset()
    } else {
      response.cancel()
      if (response.status === 416) await landing.reset()
      const message = `${file.name}: HTTP ${response.status}`
      if ([400, 401, 403, 404, 410].includes(response.status)) throw new TaskFailure('download_refused', message)
      throw new Error(`HTTP ${response.status}`)
    }
    for await (const chunk of response.body) {
      clearTimeout(timer)
      timer = setTimeout(() => stalled.abort(), stall_ms)
      if (landing.position + chunk.byteLength > file.size) {
        await landing.reset()
        throw new TaskFailure('hash_mismatch', `${file.name}: more than the announced ${file.size} bytes`)
      }
      await landing.write(chunk)
      on_progress(landing.position)
    }
    if (landing.position < file.size) throw new Error(`cut at byte ${landing.position} of ${file.size}`)
  } finally {
    clearTimeout(timer)
  }
}

const Uploaded = z.object({ result: z.literal(1), data: z.object({ object: z.string().min(1).max(100) }) })

/** What is sent: `open` gives its bytes from the start, each time it is called. */
export type Payload = { size: number; open(): Iterable<Uint8Array> | AsyncIterable<Uint8Array> }

/**
 * PUTs bytes into a slot that was opened for them, from the start again after a cut. Returns the object's name for the
 * report, undefined when an earlier try has filled the slot: the server knows what it holds.
 */
export async function upload(
  bulk: Bulk,
  address: string,
  payload: Payload,
  content_type: string,
  signal: AbortSignal,
  on_progress: (bytes: number) => void = () => {},
): Promise<string | undefined> {
  const { url, headers } = bulkRequest(bulk.credentials, address)
  const failures = patienceOf(bulk)
  for (;;) {
    const stalled = new AbortController()
    let timer = setTimeout(() => stalled.abort(), stall_ms * 2)
    const moved = (bytes: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => stalled.abort(), stall_ms * 2)
      on_progress(bytes)
    }
    const source = counted(payload, moved)
    try {
      const response = await reach(url, {
        method: 'PUT',
        headers: { ...headers, 'content-type': content_type, 'content-length': String(payload.size) },
        body: source.chunks(),
        redirect: 'manual',
        signal: AbortSignal.any([signal, stalled.signal]),
      })
      const reply: unknown = await response.json().catch(() => undefined)
      if (response.ok) return Uploaded.parse(reply).data.object
      if (response.status === 409) return undefined
      if (response.status < 500 && response.status !== 429 && response.status !== 408)
        throw new TaskFailure('upload_refused', `HTTP ${response.status} ${messageOf(reply)}`.trim())
      throw new Error(`HTTP ${response.status}`)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof TaskFailure) throw error
      // What cannot be read here will not be read by asking again.
      if (source.failure !== undefined) throw new TaskFailure('upload_failed', reasonOf(source.failure))
      const tries = failures.afterFailure(error)
      if (tries === undefined) throw new TaskFailure('upload_failed', reasonOf(error))
      await wait(bulk.clock, jitteredDelay(tries, bulk.reconnect), signal)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The bytes of a payload, counted as they go; `failure` is why they could not be read. */
function counted({ open }: Payload, moved: (bytes: number) => void) {
  const source: { failure: unknown; chunks(): AsyncGenerator<Uint8Array> } = {
    failure: undefined,
    async *chunks() {
      let sent = 0
      try {
        for await (const chunk of open()) {
          yield chunk
          sent += chunk.byteLength
          moved(sent)
        }
      } catch (error) {
        source.failure = error
        throw error
      }
    },
  }
  return source
}

const messageOf = (reply: unknown): string => {
  const message = (reply as { message?: unknown } | undefined)?.message
  return typeof message === 'string' ? message.slice(0, 500) : ''
}
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
