import type { Call, Errors } from '@mdm/contract'
import { realClock } from '@mdm/server/lib/clock.ts'
import { createRole, createUser } from '@mdm/server/modules/account/service.ts'
import type { Caller, Reply } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { uploadFile } from '../upload.ts'
import { world } from '../world.ts'
import { announce, confirmPasswords, letters } from './inputs.ts'

/** Brings a refusal about and answers it. */
export type Provoke = () => Promise<Reply<Call>>
/** By "path name" of what a call declares. */
export type Provocations = Record<string, Provoke>

class By {
  constructor(
    readonly who: Caller,
    readonly input: unknown,
  ) {}
}
/** An input that somebody else than the usual caller sends. */
export const by = (who: Caller, input: unknown): unknown => new By(who, input)

/** How refusals of one call come about: the input for each, and what had to be done before. */
export function ways<C extends Call>(
  call: C,
  who: Caller,
  each: Partial<Record<Errors<C>, () => unknown>>,
): Provocations {
  const entries = Object.entries(each) as [string, () => unknown][]
  return Object.fromEntries(
    entries.map(([name, make]) => [
      `${call.path} ${name}`,
      async () => {
        const made = await make()
        return made instanceof By ? made.who.try_(call, made.input) : who.try_(call, made)
      },
    ]),
  )
}

export const nowhere = '01890000-0000-7000-8000-000000000000'

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
  return {
    w,
    deps,
    root,
    operator: w.operator,
    /** Of the first customer, and online. */
    device: w.devices[0]!.kid,
    customer_kid: w.seed.customers[0]!.account_kid,
    provider_kid: w.seed.operator.account_kid,
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
    async person(account_kid: string, type: 1 | 2 | 3 | 101, role_kids: string[]) {
      const draft = { account_kid, type, username: username(), name: unique('Person'), password: demoPassword }
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
