import { constants, contract } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import { oidcCookie } from '@mdm/server/http/oidc-cookie.ts'
import { digest, newSecret } from '@mdm/server/lib/ids.ts'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import { seal } from '@mdm/server/lib/sealed.ts'
import { createUser } from '@mdm/server/modules/account/service.ts'
import { failureLimits } from '@mdm/server/modules/login/lockout.ts'
import { newRecoveryCodes, newTotp, reserveTry } from '@mdm/server/modules/login/service.ts'
import { workFor } from '@mdm/server/testing/sign-in.ts'
import { createStep } from '@mdm/server/modules/login/steps.ts'
import type { Reply } from '../caller.ts'
import { demoPassword } from '../seed.ts'
import { by, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const login = contract.login.calls
const account = contract.account.calls
const minute = 60_000
const wrong = clientHash('Wrong-1!')
/** No code of any app: those are digits. */
const wrongCode = 'wrong-code'

/** Signing in, and what people do with their own account. */
export const signInProvocations = (s: Stage): Provocations => ({
  ...puzzles(s),
  ...passwords(s),
  ...secondSteps(s),
  ...ownAccount(s),
  ...apiTokens(s),
})

type Drag = { x: number; track: { x: number; t: number }[] }
const drag = (x: number, ms: number): Drag => ({
  x,
  track: [0, 0.5, 1].map((share) => ({ x: x * share, t: ms * share })),
})

async function answered({ w }: Stage, move: (x: number) => Drag) {
  const { puzzle_kid, work_bits } = await w.anonymous.login.puzzle({})
  // A puzzle is not to be solved faster than a hand can; this is that rule, not a guess at the machine's speed.
  await new Promise((resolve) => setTimeout(resolve, 350))
  const { offset_x } = await w.server.deps.db
    .selectFrom('puzzle')
    .select('offset_x')
    .where('kid', '=', puzzle_kid)
    .executeTakeFirstOrThrow()
  return { puzzle_kid, ...move(offset_x), work: workFor(puzzle_kid, work_bits) }
}

const puzzles = (s: Stage): Provocations =>
  ways(login.check_puzzle, s.w.anonymous, {
    puzzle_too_fast: () => answered(s, (x) => drag(x, 100)),
    puzzle_too_slow: () => answered(s, (x) => drag(x, 31_000)),
    puzzle_misaligned: () => answered(s, (x) => drag(x > 100 ? x - 20 : x + 20, 340)),
    puzzle_expired: async () => {
      const right = await answered(s, (x) => drag(x, 340))
      await s.w.anonymous.login.check_puzzle(right)
      return right
    },
  })

/** Nobody may try this name for now. */
async function lock({ deps }: Stage, username: string): Promise<void> {
  for (let i = 0; i < failureLimits.name; i++) await reserveTry(deps, { username, address: '192.0.2.9' })
}
/** Somebody of the first customer who holds the home screen only. */
const somebody = async (s: Stage) => s.person(s.customer_kid, 3, [await s.role(s.customer_kid, 5, ['homeIndex'])])
/** Somebody who knows the own password, and has no role. */
async function roleless({ deps, username, customer_kid }: Stage) {
  const draft = { account_kid: customer_kid, type: 3 as const, username: username(), name: 'Roleless' }
  return { ...draft, ...(await createUser(deps.db, { ...draft, password: demoPassword })) }
}

function passwords(s: Stage): Provocations {
  const { anonymous } = s.w
  const attempt = async (username: string, password: string) => {
    const { puzzle_token } = await anonymous.login.check_puzzle(await answered(s, (x) => drag(x, 340)))
    return { username, password, puzzle_token }
  }
  return {
    ...ways(login.login, anonymous, {
      login_failed: () => attempt('sunrise', wrong),
      login_locked: async () => {
        for (let i = 0; i < failureLimits.name; i++)
          await anonymous.try_(login.login, await attempt('locked.out', wrong))
        return attempt('locked.out', wrong)
      },
      no_role: async () => attempt((await roleless(s)).username, clientHash(demoPassword)),
      puzzle_expired: () => ({ username: 'sunrise', password: clientHash(demoPassword), puzzle_token: 'spent' }),
    }),
    ...ways(login.confirm_password, s.root, {
      password_wrong: async () => by((await somebody(s)).call, { password: wrong }),
      login_locked: async () => {
        const { username, call } = await somebody(s)
        await lock(s, username)
        return by(call, { password: clientHash(demoPassword) })
      },
    }),
  }
}

/** What follows a right password: the second factor, or the way back from the provider of OpenID Connect. */
function secondSteps(s: Stage): Provocations {
  const { deps, w } = s
  const asked = async (user: { kid: string; username: string }) => {
    const totp_secret = await seal(deps, newTotp(user.username).secret)
    const { codes, hashes } = await newRecoveryCodes(deps, user.kid)
    await deps.db
      .updateTable('user_account')
      .set({ totp_secret, totp_enabled_at: deps.clock.now(), totp_recovery: hashes })
      .where('kid', '=', user.kid)
      .execute()
    const step = await createStep(deps.db, deps, { kind: 'totp', user_kid: user.kid, lives_ms: minute })
    return { totp_token: step.token, totp_code: codes[0]! }
  }
  return {
    ...ways(login.totp, w.anonymous, {
      totp_wrong: async () => ({ ...(await asked(await somebody(s))), totp_code: wrongCode }),
      totp_expired: () => ({ totp_token: 'spent', totp_code: '123456' }),
      login_locked: async () => {
        const user = await somebody(s)
        await lock(s, user.username)
        return asked(user)
      },
      no_role: async () => asked(await roleless(s)),
    }),
    ...ways(login.exchange, w.anonymous, { oidc_expired: () => ({ exchange_token: 'spent' }) }),
    ...ways(account.oidc_link, s.root, { oidc_expired: () => ({ link_token: 'spent' }) }),
    'account/oidc_link oidc_linked': async () => {
      const { kid: user_kid, call } = await somebody(s)
      const [cookie, at] = [newSecret(), deps.clock.now()]
      const identity = { issuer: 'https://sso.example', subject: user_kid }
      const dates = { created_at: at, last_use_at: at }
      await deps.db
        .insertInto('user_identity')
        .values({ ...identity, user_kid, ...dates })
        .execute()
      const detail = { binding: digest(cookie).toString('hex'), ...identity }
      const { token: link_token } = await createStep(deps.db, deps, { kind: 'oidc_link', detail, lives_ms: minute })
      const response = await fetch(`${w.url}/api/${account.oidc_link.path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${call.identity.token}`,
          'content-type': 'application/json',
          cookie: `${oidcCookie}=${cookie}`,
        },
        body: JSON.stringify({ link_token }),
      })
      return { status: response.status, ...((await response.json()) as Envelope) } as Reply<Call>
    },
    'login/exchange no_role': async () => {
      const { kid: user_kid } = await roleless(s)
      const cookie = newSecret()
      const detail = { binding: digest(cookie).toString('hex') }
      const { token } = await createStep(deps.db, deps, { kind: 'oidc_exchange', user_kid, detail, lives_ms: minute })
      const response = await fetch(`${w.url}/api/${login.exchange.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `${oidcCookie}=${cookie}` },
        body: JSON.stringify({ exchange_token: token }),
      })
      return { status: response.status, ...((await response.json()) as Envelope) } as Reply<Call>
    },
  }
}

function ownAccount(s: Stage): Provocations {
  const somebodyWith = async (contact: { email?: string; phone?: string }) => {
    const { call } = await somebody(s)
    await call.account.update_info({ name: 'Holder', ...contact })
    return contact
  }
  /** Has begun to set up the second factor. */
  const beginner = async () => {
    const person = await somebody(s)
    await person.call.account.totp_begin({})
    return person
  }
  const changed = { old_password: clientHash(demoPassword), new_password: clientHash('Other-2026!') }
  return {
    ...ways(account.update_info, s.root, {
      duplicate_email: async () => ({ name: 'Second', ...(await somebodyWith({ email: s.email() })) }),
      duplicate_phone: async () => ({ name: 'Second', ...(await somebodyWith({ phone: s.phone() })) }),
    }),
    ...ways(account.change_password, s.root, {
      password_wrong: async () => by((await somebody(s)).call, { ...changed, old_password: wrong }),
      login_locked: async () => {
        const { username, call } = await somebody(s)
        await lock(s, username)
        return by(call, changed)
      },
    }),
    ...ways(account.totp_begin, s.root, {
      conflict: async () => {
        const { kid, call } = await beginner()
        const totp_enabled_at = s.deps.clock.now()
        await s.deps.db.updateTable('user_account').set({ totp_enabled_at }).where('kid', '=', kid).execute()
        return by(call, {})
      },
    }),
    ...ways(account.totp_enable, s.root, {
      totp_wrong: async () => by((await beginner()).call, { totp_code: wrongCode }),
      conflict: async () => by((await somebody(s)).call, { totp_code: '123456' }),
      login_locked: async () => {
        const { username, call } = await beginner()
        await lock(s, username)
        return by(call, { totp_code: '123456' })
      },
    }),
  }
}

function apiTokens(s: Stage): Provocations {
  const draft = (name = s.unique('Token')) => ({ name, permissions: ['homeIndex'], expires_in_days: 1 })
  return ways(contract.apiToken.calls.insert, s.root, {
    role_beyond_own: async () => by((await somebody(s)).call, { ...draft(), permissions: ['deviceList'] }),
    duplicate_name: async () => {
      await s.root.apiToken.insert(draft('Held'))
      return draft('HELD')
    },
    api_token_limit: async () => {
      const { call } = await somebody(s)
      for (let i = 0; i < constants.api_tokens_max; i++) await call.apiToken.insert(draft())
      return by(call, draft())
    },
  })
}
