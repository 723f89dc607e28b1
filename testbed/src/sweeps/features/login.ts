import { contract } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import { oidcCookie } from '@mdm/server/http/cookies.ts'
import { digest, newSecret } from '@mdm/server/lib/ids.ts'
import { clientHash, noPassword } from '@mdm/server/lib/passwords.ts'
import { seal } from '@mdm/server/lib/sealed.ts'
import { invite, newRecoveryCodes, newTotp } from '@mdm/server/modules/people/login/index.ts'
import { createStep } from '@mdm/server/modules/people/login/steps.ts'
import type { Reply } from '../../caller.ts'
import { demoPassword } from '../../seed.ts'
import { answered, drag, puzzleToken } from '../../sign-in.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { authenticatorOf, strayAnswer, withoutName } from '../shared/passkeys.ts'
import { homeUser, lock, roleless, wrongCode, wrongPassword } from '../shared/users.ts'
import { anyPassword } from '../stage.ts'
import type { Stage } from '../stage.ts'

const calls = contract.login.calls
const minute = 60_000

/** Signing in. */
export const login: Feature = {
  inputs: (t) => ({
    'login/puzzle': {},
    'login/check_puzzle': {
      puzzle_kid: t.qrcode_kid,
      x: 10,
      track: [
        { x: 0, t: 0 },
        { x: 10, t: 500 },
      ],
    },
    'login/login': { username: 'nobody', password: anyPassword, puzzle_token: 'none' },
    'login/logout': {},
    'login/session': {},
    'login/totp': { totp_token: 'none', totp_code: '123456' },
    'login/options': {},
    'login/passkey_begin': {},
    'login/passkey': { answer: strayAnswer() },
    'login/confirm_passkey_begin': {},
    'login/confirm_passkey': { answer: strayAnswer() },
    'login/forgot_password': { username: 'nobody', puzzle_token: 'none' },
    'login/read_link': { link_token: 'none' },
    'login/set_password': { link_token: 'none', password: anyPassword },
    'login/exchange': { exchange_token: 'none' },
    'login/confirm_password': { password: anyPassword },
  }),
  refusals: (s) => ({ ...puzzles(s), ...passwords(s), ...links(s), ...passkeys(s), ...secondSteps(s) }),
  open_outside: Object.values(calls),
  destructive: [calls.confirm_password, calls.confirm_passkey],
  ends_session: [calls.logout],
  // Who signs out is gone afterwards; a stranger's token says nothing of whom it would have been.
  unattributed: [calls.logout, calls.totp, calls.exchange, calls.set_password, calls.passkey],
}

const puzzles = (s: Stage): Refusals =>
  refusalsOf(calls.check_puzzle, s.w.anonymous, {
    puzzle_too_fast: () => answered(s.w, { move: (x) => drag(x, 100) }),
    puzzle_too_slow: () => answered(s.w, { move: (x) => drag(x, 31_000) }),
    puzzle_misaligned: () => answered(s.w, { move: (x) => drag(x > 100 ? x - 20 : x + 20, 340) }),
    puzzle_expired: async () => {
      const right = await answered(s.w)
      await s.w.anonymous.login.check_puzzle(right)
      return right
    },
  })

function passwords(s: Stage): Refusals {
  const { anonymous } = s.w
  const attempt = async (username: string, password: string) => ({
    username,
    password,
    puzzle_token: await puzzleToken(s.w),
  })
  return {
    ...refusalsOf(calls.login, anonymous, {
      login_failed: () => attempt('sunrise', wrongPassword),
      login_locked: async () => {
        await lock(s, 'locked.out')
        return attempt('locked.out', wrongPassword)
      },
      no_role: async () => attempt((await roleless(s)).username, clientHash(demoPassword)),
      puzzle_expired: () => ({ username: 'sunrise', password: clientHash(demoPassword), puzzle_token: 'spent' }),
    }),
    ...refusalsOf(calls.confirm_password, s.root, {
      password_wrong: async () => by((await homeUser(s)).call, { password: wrongPassword }),
      login_locked: async () => {
        const { username, call } = await homeUser(s)
        await lock(s, username)
        return by(call, { password: clientHash(demoPassword) })
      },
    }),
  }
}

function passkeys(s: Stage): Refusals {
  const { anonymous } = s.w
  const challenge = async () => (await anonymous.login.passkey_begin({})).options as { challenge: string }
  return {
    [`${calls.passkey_begin.path} passkeys_off`]: () => withoutName(s, anonymous, calls.passkey_begin),
    [`${calls.confirm_passkey_begin.path} passkeys_off`]: () => withoutName(s, s.root, calls.confirm_passkey_begin),
    ...refusalsOf(calls.passkey, anonymous, {
      passkey_expired: () => ({ answer: strayAnswer() }),
      passkey_wrong: async () => ({ answer: authenticatorOf(s).get(await challenge()) }),
      no_role: async () => {
        const user = await homeUser(s)
        const authenticator = authenticatorOf(s)
        const { options } = await user.call.account.passkey_begin({})
        await user.call.account.passkey_add({ name: 'Key', answer: authenticator.create(options as never) })
        await s.deps.db.deleteFrom('user_role').where('user_kid', '=', user.kid).execute()
        return { answer: authenticator.get(await challenge()) }
      },
    }),
    ...refusalsOf(calls.confirm_passkey, s.root, {
      passkey_expired: () => ({ answer: strayAnswer() }),
      passkey_wrong: async () => {
        const { options } = await s.root.login.confirm_passkey_begin({})
        return { answer: authenticatorOf(s).get(options as never) }
      },
    }),
  }
}

function links(s: Stage): Refusals {
  const { deps, w } = s
  const spent = { link_token: 'spent', password: clientHash(demoPassword) }
  return {
    ...refusalsOf(calls.forgot_password, w.anonymous, {
      mail_off: () => ({ username: 'sunrise', puzzle_token: 'spent' }),
    }),
    'login/forgot_password puzzle_expired': async () => {
      const { smtp } = deps.config
      deps.config.smtp = { url: 'smtp://mail.example', from: 'mdm@example.com' }
      try {
        return await w.anonymous.try_(calls.forgot_password, { username: 'sunrise', puzzle_token: 'spent' })
      } finally {
        deps.config.smtp = smtp
      }
    },
    ...refusalsOf(calls.read_link, w.anonymous, { link_expired: () => spent }),
    ...refusalsOf(calls.set_password, w.anonymous, {
      link_expired: () => spent,
      no_role: async () => {
        const user = await roleless(s)
        const person = { ...user, account_kid: s.customer_kid, name: user.username, email: null }
        const { link_with_token } = await invite(deps.db, deps, person, 'en')
        await deps.db
          .updateTable('user_account')
          .set({ password_hash: noPassword })
          .where('kid', '=', user.kid)
          .execute()
        const link_token = new URLSearchParams(new URL(link_with_token!).hash.slice(1)).get('token')!
        return { link_token, password: clientHash(demoPassword) }
      },
    }),
  }
}

/** What follows a right password: the second factor, or the way back from the provider of OpenID Connect. */
function secondSteps(s: Stage): Refusals {
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
    ...refusalsOf(calls.totp, w.anonymous, {
      totp_wrong: async () => ({ ...(await asked(await homeUser(s))), totp_code: wrongCode }),
      totp_expired: () => ({ totp_token: 'spent', totp_code: '123456' }),
      login_locked: async () => {
        const user = await homeUser(s)
        await lock(s, user.username)
        return asked(user)
      },
      no_role: async () => asked(await roleless(s)),
    }),
    ...refusalsOf(calls.exchange, w.anonymous, { oidc_expired: () => ({ exchange_token: 'spent' }) }),
    'login/exchange no_role': async () => {
      const { kid: user_kid } = await roleless(s)
      const cookie = newSecret()
      const detail = { binding: digest(cookie).toString('hex') }
      const { token } = await createStep(deps.db, deps, { kind: 'oidc_exchange', user_kid, detail, lives_ms: minute })
      const response = await fetch(`${w.url}/api/${calls.exchange.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `${oidcCookie}=${cookie}` },
        body: JSON.stringify({ exchange_token: token }),
      })
      return { status: response.status, ...((await response.json()) as Envelope) } as Reply<Call>
    },
  }
}
