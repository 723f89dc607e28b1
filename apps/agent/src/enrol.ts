import { httpRequest, randomHex, sha256 } from '#platform'
import * as z from 'zod'
import { Announced, Enrolled, isKid, StandingReply } from '@mdm/device-link'
import type { Identity } from './body/body.ts'
import { jitteredDelay, realClock, wait } from './clock.ts'
import type { Clock } from './clock.ts'
import type { Store } from './store.ts'
import { isSameJson } from './same-json.ts'

const Claim = z.object({ claim: z.string().regex(/^[0-9a-f]{64}$/) })
export const Credentials = z.object({
  server: z.string(),
  kid: z.string().refine(isKid),
  secret: z.string().regex(/^[0-9a-f]{64}$/),
  mqtt: z.array(z.string()).min(1),
})
export type Credentials = z.infer<typeof Credentials>

const Moved = z.object({ from: z.string(), to: z.string() })

/** A refusal in the server's own words. `result` is the code of the error catalogue, 0 when the reply was no envelope. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly result: number,
    message: string,
  ) {
    super(message)
  }
}
const Refusal = z.object({ result: z.number(), message: z.string() })

async function post<T extends z.ZodType>(
  url: URL,
  body: unknown,
  output: T,
  signal: AbortSignal,
): Promise<z.output<T>> {
  const response = await httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  })
  const reply: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const refusal = Refusal.safeParse(reply).data
    throw new Refused(response.status, refusal?.result ?? 0, refusal?.message ?? `HTTP ${response.status}`)
  }
  return output.parse(reply)
}

/** What the server says of a device whose CONNECT it refused; undefined when it cannot be asked. */
export async function standing({ server, kid, secret }: Credentials, signal: AbortSignal) {
  try {
    const response = await httpRequest(new URL('device/standing', server), {
      headers: { authorization: `Bearer ${kid}:${secret}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    })
    return StandingReply.safeParse(await response.json()).data
  } catch {
    return undefined
  }
}

/**
 * The credentials with the addresses that the server names now. Asked only where unencrypted ones were named by a server that is
 * reached over https: it may have been set up before it knew better.
 */
export async function withCurrentAddresses(
  store: Store,
  credentials: Credentials,
  signal: AbortSignal,
  ask = standing,
): Promise<Credentials> {
  const is_plain = credentials.mqtt.some((url) => /^(mqtt|ws):/i.test(url))
  if (!is_plain || !credentials.server.startsWith('https:')) return credentials
  const said = await ask(credentials, signal)
  if (said?.state !== 'registered' || !said.mqtt || isSameJson(said.mqtt, credentials.mqtt)) return credentials
  const current = { ...credentials, mqtt: said.mqtt }
  await store.write('credentials', current)
  return current
}

/** A server's base address; paths of the link are resolved below it, so it may have a path of its own. */
export function serverUrl(server: string): URL {
  const url = new URL(server.endsWith('/') ? server : `${server}/`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`Not an http or https address: ${server}`)
  return url
}

export async function storedCredentials(store: Store, server: string): Promise<Credentials | undefined> {
  const stored = Credentials.safeParse(await store.read('credentials')).data
  if (stored?.server === serverUrl(server).href) return stored
  // It was led there by a configuration of the server that it was started with.
  const moved = Moved.safeParse(await store.read('moved')).data
  return stored && moved?.from === serverUrl(server).href && moved.to === stored.server ? stored : undefined
}

/** 32 random bytes that only this device has, made once: what proves, without a password, that it is the one that announced itself. */
async function claimOf(store: Store, is_fresh: boolean): Promise<string> {
  const stored = Claim.safeParse(await store.read('claim')).data
  if (stored && !is_fresh) return stored.claim
  const claim = randomHex(32)
  await store.write('claim', { claim })
  return claim
}

/**
 * Announces the device and asks until it is registered, however long that takes; the credentials are on disk when it
 * resolves. `on_code` gets the registration code to show. Gives up after `attempts` refused announcements, if set.
 */
export async function enrol(options: {
  server: string
  identity: Identity
  store: Store
  clock: Clock
  signal: AbortSignal
  qrcode: string | undefined
  reconnect: { base_ms: number; cap_ms: number }
  may_try: () => boolean
  on_code: (code: string) => void
  on_refused: (error: Error) => void
  /** Given, with each question, what makes the next one follow it at once. */
  on_ask: (askAgain: () => void) => void
  attempts?: number
  /** Its secret is refused, perhaps because it was copied, and with it the claim: another is made. */
  is_again?: boolean
}): Promise<Credentials | undefined> {
  const { store, clock, signal } = options
  const server = serverUrl(options.server)
  const claim = await claimOf(store, options.is_again ?? false)
  const { identity } = options
  let qrcode = options.qrcode
  let failures = 0
  let refusals = 0
  let poll_seconds: number | undefined
  for (;;) {
    signal.throwIfAborted()
    if (!options.may_try()) {
      await wait(clock, 1000, signal)
      continue
    }
    try {
      if (poll_seconds === undefined) {
        const claim_hash = sha256(claim)
        const announced = await post(new URL('device/announce', server), { ...identity, claim_hash }, Announced, signal)
        poll_seconds = announced.poll_seconds
        options.on_code(announced.registration_code)
      }
      // From before the question, so that what happens while it is on its way is not waited for either.
      const again = new Promise<void>((resolve) => options.on_ask(resolve))
      const reply = await post(
        new URL('device/enrol', server),
        { sn: identity.sn, claim, ...(qrcode === undefined ? {} : { qrcode }) },
        Enrolled,
        signal,
      )
      failures = 0
      if (reply.state === 'registered') {
        const credentials = { server: server.href, kid: reply.kid, secret: reply.secret, mqtt: reply.mqtt }
        await store.write('credentials', credentials)
        return credentials
      }
      poll_seconds = reply.poll_seconds
      await Promise.race([wait(clock, poll_seconds * 1000, signal), again])
    } catch (error) {
      signal.throwIfAborted()
      options.on_refused(error as Error)
      if (error instanceof Refused && error.status < 500 && error.status !== 429) {
        // A QR token works once and for minutes; without it the code on the screen still leads in.
        if (qrcode !== undefined && poll_seconds !== undefined) qrcode = undefined
        // An announcement lives for days and then has to be made again.
        else poll_seconds = undefined
        refusals += 1
        if (options.attempts !== undefined && refusals >= options.attempts) return undefined
      }
      failures += 1
      await wait(clock, jitteredDelay(failures, options.reconnect), signal)
    }
  }
}

const token_attempts = 5

/**
 * Registers by the token of a QR code alone: who scans waits for it, and nobody types a code. Throws what the server said when
 * it does not take the token.
 */
export async function enrolByToken(of: {
  server: string
  token: string
  store: Store
  identity: Identity
  log: (line: string) => void
  signal: AbortSignal
  clock?: Clock
}): Promise<Credentials> {
  const { server, token, store, identity, log, clock = realClock } = of
  const given_up = new AbortController()
  const signal = AbortSignal.any([of.signal, given_up.signal])
  let failures = 0
  return (await enrol({
    server,
    identity,
    store,
    clock,
    signal,
    qrcode: token,
    reconnect: { base_ms: 1_000, cap_ms: 10_000 },
    may_try: () => true,
    on_code: () => undefined,
    on_ask: () => undefined,
    on_refused(error) {
      log(`registration: ${error.message}`)
      failures += 1
      // What the server has refused it refuses again; a network that was joined just now may take a moment.
      if (error instanceof Refused || failures >= token_attempts) given_up.abort(error)
    },
  }))!
}
