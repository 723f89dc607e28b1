import { randomBytes } from 'node:crypto'
import { errors } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import { expect } from 'vitest'
import type { TestHttpServer } from './http-server.ts'
import { newKid } from '../lib/ids.ts'
import { readSheet } from '../lib/sheet-read.ts'
import { createAccount } from '../modules/people/account/index.ts'

export type Person = Awaited<ReturnType<TestHttpServer['person']>>
export type Asked = { lang?: string; signal?: AbortSignal }
/** The registration code of every device that these tests announce. */
export const code = 'ABC234'

/** Customers, devices that wait and sheets about them, in the world that `of` gives. */
export function sheetHelpers(of: () => TestHttpServer) {
  let version = 0
  const next = () => `v${(version += 1)}`
  async function customer(terminal_max = 1_000, permissions = ['deviceList*']): Promise<Person> {
    const { kid } = await createAccount(of().deps.db, { type: 1, name: newKid(), terminal_max })
    return of().person(permissions, { account_kid: kid })
  }

  async function group({ account_kid }: Person, name: string, parent_kid: string | null = null): Promise<string> {
    const kid = newKid()
    await of()
      .deps.db.insertInto('terminal_group')
      .values({ kid, account_kid, parent_kid, name, depth: parent_kid ? 2 : 1 })
      .execute()
    return kid
  }

  async function announce(sns: readonly string[], registration_code = code): Promise<void> {
    const now = of().deps.clock.now()
    for (let from = 0; from < sns.length; from += 2_000)
      await of()
        .deps.db.insertInto('announcement')
        .values(
          sns.slice(from, from + 2_000).map((sn) => ({
            sn,
            claim_hash: randomBytes(32),
            registration_code,
            device: JSON.stringify({
              model: 'M1',
              os_name: 'Linux',
              os_version: '6',
              service_version: '1',
              protocol_version: 1,
            }),
            address: '10.0.0.1',
            announced_at: now,
            expires_at: new Date(now.getTime() + 86_400_000),
          })),
        )
        .execute()
  }
  // Of digits and one E alone, a sheet would have a number: it is never one with the letter before it.
  const serials = (count: number, of = `S${newKid().slice(-8).toUpperCase()}`) =>
    Array.from({ length: count }, (_, n) => `${of}-${n}`)
  const dto = (sn: string, more: Record<string, unknown> = {}) => ({
    sn,
    work_order: 'WO-1',
    verification_code: code,
    ...more,
  })

  function send(who: Person, call: Call, input: object, { lang = 'en', signal }: Asked = {}): Promise<Response> {
    const query = new URLSearchParams({ lang, account_kid: who.account_kid })
    if (call.method === 'GET') for (const [name, value] of Object.entries(input)) query.set(name, String(value))
    return fetch(`${of().url}/api/${call.path}?${query}`, {
      method: call.method,
      headers: { ...who.bearer, 'content-type': 'application/json' },
      ...(call.method === 'POST' && { body: JSON.stringify(input) }),
      ...(signal && { signal }),
    })
  }
  const json = async <T = unknown>(reply: Promise<Response>) => (await (await reply).json()) as Envelope & { data: T }
  const refusalOf = async (reply: Promise<Response>) => {
    const { result } = await json(reply)
    return Object.entries(errors).find(([, entry]) => entry.result === result)?.[0] ?? result
  }
  /** The rows of a file. */
  async function sheetOf(reply: Response) {
    expect(reply.headers.get('content-type')).toContain('spreadsheetml')
    const rows: (string | undefined)[][] = []
    for await (const { cells } of readSheet(Buffer.from(await reply.arrayBuffer())))
      rows.push(Array.from(cells, (cell) => cell?.text))
    return rows
  }
  /** Of a result of devices: SN, code and message. */
  const outcomes = async (reply: Promise<Response>) =>
    (await sheetOf(await reply)).slice(1).map((row) => [row[0], row[7], row[8]])
  async function upload(who: Person, bytes: Uint8Array): Promise<string> {
    const headers = { ...who.bearer, 'tus-resumable': '1.0.0' }
    const created = await fetch(`${of().url}/upload`, {
      method: 'POST',
      headers: { ...headers, 'upload-length': String(bytes.length) },
    })
    expect(created.status).toBe(201)
    const kid = created.headers.get('location')!.split('/').at(-1)!
    await fetch(`${of().url}/upload/${kid}`, {
      method: 'PATCH',
      headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(bytes),
    })
    return kid
  }
  return { next, customer, group, announce, serials, dto, send, json, refusalOf, sheetOf, outcomes, upload }
}
