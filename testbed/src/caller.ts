import { request } from 'node:http'
import type { RequestOptions } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { contract } from '@mdm/contract'
import type { Call, Contract, Envelope, Out, Sent } from '@mdm/contract'

/** Who calls: a token, and the account it acts for (the entered customer of an operator). */
export type Identity = { token?: string; account_kid?: string; lang?: string; cookie?: string }
export type Reply<C> = { status: number; result: number; message: string; data: Out<C>; cookie?: string }

/** A call that was refused; `reply` is all that came back. */
export class Refused extends Error {
  constructor(
    readonly path: string,
    readonly status: number,
    readonly reply: Envelope,
  ) {
    super(`${path}: ${status} ${reply.result} ${reply.message} ${JSON.stringify(reply.data)}`)
  }
}

/** Calls over real HTTP, as a script would. `try_` gives the reply as it came; the groups' functions throw Refused. */
export type Caller = {
  [G in keyof Contract]: {
    [K in keyof Contract[G]['calls']]: (input: Sent<Contract[G]['calls'][K]>) => Promise<Out<Contract[G]['calls'][K]>>
  }
} & {
  identity: Identity
  url: string
  try_<C extends Call>(call: C, input: unknown): Promise<Reply<C>>
  as(identity: Identity): Caller
}

/** An input as a call by GET carries it in its address. */
export const queryOf = (input: unknown): [key: string, value: string][] =>
  Object.entries((input ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : String(value)])

type Received = { status: number; content_type: string | undefined; cookie: string | undefined; bytes: Buffer }
/** One request. `fetch` takes five times as much of a processor for it, and the sweeps send tens of thousands. */
const send = (address: string, { body, ...options }: RequestOptions & { body?: string }): Promise<Received> =>
  new Promise((resolve, reject) => {
    const sent = request(address, options, async (response) => {
      try {
        const bytes = await buffer(response)
        const { 'content-type': content_type, 'set-cookie': [line] = [] } = response.headers
        resolve({ status: response.statusCode!, content_type, cookie: line?.split(';')[0], bytes })
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(body)
  })

export function caller(url: string, identity: Identity = {}): Caller {
  const try_ = async <C extends Call>(call: C, input: unknown): Promise<Reply<C>> => {
    const query = new URLSearchParams()
    if (identity.account_kid) query.set('account_kid', identity.account_kid)
    if (identity.lang) query.set('lang', identity.lang)
    if (call.method === 'GET') for (const [key, value] of queryOf(input)) query.set(key, value)
    const { status, content_type, cookie, bytes } = await send(`${url}/api/${call.path}?${query}`, {
      method: call.method,
      headers: {
        timestamp: String(Date.now()),
        ...(identity.token ? { authorization: `Bearer ${identity.token}` } : {}),
        ...(identity.cookie ? { cookie: identity.cookie } : {}),
        ...(call.method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(call.method === 'POST' ? { body: JSON.stringify(input ?? {}) } : {}),
    })
    const is_envelope = content_type?.startsWith('application/json')
    // A call that replies with a file: its bytes are what it says.
    const reply = is_envelope ? JSON.parse(bytes.toString()) : { result: 1, message: '', data: bytes }
    return { status, ...(reply as Envelope), ...(cookie && { cookie }) } as Reply<C>
  }
  const groups = Object.fromEntries(
    Object.entries(contract).map(([key, group]) => [
      key,
      Object.fromEntries(
        (Object.entries(group.calls) as [string, Call][]).map(([name, call]) => [
          name,
          async (input: unknown) => {
            const { status, ...reply } = await try_(call, input)
            if (reply.result !== 1) throw new Refused(call.path, status, reply)
            return reply.data
          },
        ]),
      ),
    ]),
  )
  return { ...groups, identity, url, try_, as: (other: Identity) => caller(url, other) } as Caller
}
