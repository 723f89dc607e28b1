import { createHash } from 'node:crypto'
import { realClock } from '@mdm/server/lib/clock.ts'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { createRole, createUser } from '@mdm/server/modules/people/account/index.ts'
import type { Caller } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { uploadFile } from '../upload.ts'
import { unknownKid } from './refusals.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'

/** In the shape in which the console sends passwords. */
export const anyPassword = createHash('sha1').update('anything').digest('hex')
/** Role codes have letters only. */
export const letters = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, '').replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)

/** As if everybody had typed their password again just now, so that what lies behind that question is reached. */
export async function confirmPasswords(w: World): Promise<void> {
  const { db, clock } = w.server.deps
  const later = new Date(clock.now().getTime() + 3_600_000)
  await db.updateTable('session').set({ confirmed_at: later }).execute()
}

/** What a device says of itself before anybody knows it. */
export async function announce(
  url: string,
  sn: string,
  claim = sn,
): Promise<{ sn: string; registration_code: string }> {
  const device = { model: 'm', os_name: 'o', os_version: '1', service_version: '1', protocol_version: 1 }
  const reply = await fetch(`${url}/device/announce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sn, ...device, claim_hash: createHash('sha256').update(claim).digest('hex') }),
  })
  return { sn, registration_code: ((await reply.json()) as { registration_code: string }).registration_code }
}

export type Stage = Awaited<ReturnType<typeof stage>>
/** A world with one device, and what most refusals need to come about. */
export async function stage() {
  let held: Date | undefined
  const clock = { ...realClock, now: () => held ?? realClock.now() }
  const w = await world({ agents: 1, overrides: { clock } })
  await confirmPasswords(w)
  const { deps } = w.server
  const root = w.customers[0]!
  let n = 0
  const unique = (what: string) => `${what} ${++n}`
  const username = () => `sweep.${++n}`
  /** Signed in, with the password typed again just now. */
  const signIn = async (user_kid: string): Promise<Caller> => {
    const call = await signedIn(w.url, deps, { user_kid })
    await confirmPasswords(w)
    return call
  }
  const made = new Map<string, Promise<unknown>>()
  const shared_uploads = new Set<string>()
  function once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const found = (made.get(name) as Promise<T> | undefined) ?? make()
    made.set(name, found)
    return found
  }
  return {
    w,
    deps,
    root,
    operator: w.operator,
    /** Of the first customer, and online. */
    device: w.devices[0]!.kid,
    customer_kid: w.seed.customers[0]!.account_kid,
    provider_kid: w.seed.operator.account_kid,
    /** Makes something once for all refusals that need it. */
    once,
    /** An upload for all refusals that leave it as it is. */
    sharedUpload: (name: string, make: () => Promise<string>) =>
      once(`upload: ${name}`, async () => {
        const kid = await make()
        shared_uploads.add(kid)
        return kid
      }),
    /** A person may leave so many uploads lying; the sweep leaves more. */
    async dropUploads() {
      const kept = [unknownKid, ...shared_uploads]
      await deps.db.deleteFrom('upload').where('claimed_at', 'is', null).where('kid', 'not in', kept).execute()
    },
    unique,
    username,
    email: () => `${username()}@example.com`,
    phone: () => `+84 ${100_000 + ++n}`,
    roleCode: () => `Role${letters(String(++n))}`,
    signIn,
    async role(account_kid: string, weight: number, permissions: string[] = [], parent_kid?: string) {
      const draft = { account_kid, code: `Role${letters(String(++n))}`, name: unique('Role'), weight, permissions }
      return (await createRole(deps.db, { ...draft, ...(parent_kid ? { parent_kid } : {}) })).kid
    },
    /** Signed in with the demo's password. */
    async user(account_kid: string, type: 1 | 2 | 3 | 101, role_kids: string[]) {
      const password_hash = await sharedHash(demoPassword, deps.password_cost)
      const draft = { account_kid, type, username: username(), name: unique('User'), password_hash }
      const { kid } = await createUser(deps.db, { ...draft, role_kids })
      return { kid, username: draft.username, call: await signIn(kid) }
    },
    upload: (name: string, who = root) => uploadFile(who, name, Buffer.from(name)),
    /** A device that is registered and never comes: its pushes wait. */
    absentDevice: async (who = root) =>
      (await who.terminal.manual_registered(await announce(w.url, unique('ABSENT').replace(' ', '-')))).kid,
    /** The server's time stands still meanwhile. */
    async atOneMoment<T>(run: () => Promise<T>): Promise<T> {
      held = realClock.now()
      try {
        return await run()
      } finally {
        held = undefined
      }
    },
  }
}
