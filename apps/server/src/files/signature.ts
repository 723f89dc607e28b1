import { createHmac, randomBytes } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Clock } from '../lib/clock.ts'
import { sameBytes } from '../lib/ids.ts'
import { seal, unseal } from '../lib/sealed.ts'
import type { Sealing } from '../lib/sealed.ts'

/** What a signed address promises; nothing of it can be changed without the key. */
export type Signed = { object: string; name: string; content_type: string }

const default_seconds = 3_600

/** The key of all download addresses, the same on every server node and after every restart; it is kept sealed. */
export async function readFileKey(deps: Sealing): Promise<Buffer> {
  const { db } = deps
  const fresh = { sealed: await seal(deps, randomBytes(32).toString('hex')) }
  await db
    .insertInto('setting')
    .values({ key: 'file_key', value: JSON.stringify(fresh) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const { value } = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', 'file_key')
    .executeTakeFirstOrThrow()
  return Buffer.from(await unseal(deps, (value as typeof fresh).sealed), 'hex')
}

export type FileSigner = {
  sign: Deps['signFile']
  /** What was signed, or why it does not count. */
  check(object: string, query: Record<string, unknown>): Signed | 'invalid' | 'expired'
}

export function fileSigner(key: Buffer, clock: Clock): FileSigner {
  // JSON keeps the parts apart: no two different promises have the same text.
  const signature = (s: Signed, expires: number) =>
    createHmac('sha256', key)
      .update(JSON.stringify([s.object, s.name, s.content_type, expires]))
      .digest()
  return {
    sign(object, { name, content_type = 'application/octet-stream', seconds = default_seconds }) {
      const expires = Math.floor(clock.now().getTime() / 1000) + seconds
      const sig = signature({ object, name: name.toWellFormed(), content_type }, expires).toString('base64url')
      const query = new URLSearchParams({ name, type: content_type, expires: String(expires), sig })
      return `/files/${encodeURIComponent(object)}?${query}`
    },
    check(object, { name, type, expires, sig }) {
      if (typeof name !== 'string' || typeof type !== 'string' || typeof sig !== 'string') return 'invalid'
      if (typeof expires !== 'string' || !/^\d{1,12}$/.test(expires)) return 'invalid'
      const promised = { object, name, content_type: type }
      if (!sameBytes(signature(promised, Number(expires)), Buffer.from(sig, 'base64url'))) return 'invalid'
      return Number(expires) * 1000 < clock.now().getTime() ? 'expired' : promised
    },
  }
}
