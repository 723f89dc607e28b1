import { contract } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import { oidcCookie } from '@mdm/server/http/cookies.ts'
import { digest, newKid, newSecret } from '@mdm/server/lib/ids.ts'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import { createStep } from '@mdm/server/modules/people/login/steps.ts'
import type { Reply } from '../../caller.ts'
import { demoPassword, signedIn } from '../../seed.ts'
import type { Feature } from '../feature.ts'
import { kinds, tenants } from '../kinds.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { strayPasskey, strayPasskeyFor, withoutName } from '../shared/passkeys.ts'
import { homeUser, lock, wrongCode, wrongPassword } from '../shared/users.ts'
import { anyPassword } from '../stage.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    account_kid: string
    user_kid: string
    session_kid: string
    passkey_kid: string
  }
}

const calls = contract.account.calls
const minute = 60_000

/** What users do with their own account. */
export const account: Feature = {
  async make({ w, call, customer }) {
    const { account_kid, root } = w.seed.customers[customer]!
    await signedIn(w.url, w.server.deps, root)
    const elsewhere = (await call.account.list_session({})).find((session) => !session.is_current)!
    const passkey_kid = newKid()
    await w.server.deps.db
      .insertInto('passkey')
      .values({
        ...{
          kid: passkey_kid,
          user_kid: root.user_kid,
          name: 'Key',
          credential_id: passkey_kid,
          counter: 0,
          transports: [],
        },
        ...{ public_key: Buffer.alloc(1), is_synced: false, created_at: w.server.deps.clock.now() },
      })
      .execute()
    return { account_kid, user_kid: root.user_kid, session_kid: elsewhere.kid, passkey_kid }
  },
  inputs: (t) => ({
    'account/info': {},
    'account/save_preferences': { language: 'en' },
    'account/check_inventory': { parent_kid: t.account_kid, src_kid: t.account_kid, num: 1 },
    'account/update_info': { name: 'Swept' },
    'account/change_password': { old_password: anyPassword, new_password: anyPassword },
    'account/list_session': {},
    'account/end_session': { kid: t.session_kid },
    'account/end_other_sessions': {},
    'account/totp_begin': {},
    'account/totp_enable': { totp_code: '123456' },
    'account/totp_disable': {},
    'account/list_passkey': {},
    'account/passkey_begin': {},
    'account/passkey_add': { name: 'Key', answer: strayPasskey() },
    'account/passkey_remove': { kid: t.passkey_kid },
    'account/oidc_link': { link_token: 'spent' },
    'account/oidc_unlink': {},
    'account/preferences': {},
    'account/save_preference': { key: 'columns.sweep', value: ['sn'] },
  }),
  refusals: ownAccount,
  open_to: {
    'account/update_info': kinds.filter((kind) => kind !== 'API token'),
    'account/check_inventory': tenants,
  },
  open_outside: Object.values(calls).filter((call) => call !== calls.check_inventory),
  destructive: [
    calls.passkey_remove,
    calls.end_session,
    calls.end_other_sessions,
    calls.change_password,
    calls.totp_disable,
  ],
}

function ownAccount(s: Stage): Refusals {
  const userWith = async (contact: { email?: string; phone?: string }) => {
    const { call } = await homeUser(s)
    await call.account.update_info({ name: 'Holder', ...contact })
    return contact
  }
  /** Has begun to set up the second factor. */
  const beginner = async () => {
    const user = await homeUser(s)
    await user.call.account.totp_begin({})
    return user
  }
  const changed = { old_password: clientHash(demoPassword), new_password: clientHash('Other-2026!') }
  return {
    [`${calls.passkey_begin.path} passkeys_off`]: () => withoutName(s, s.root, calls.passkey_begin),
    ...refusalsOf(calls.passkey_add, s.root, {
      passkey_expired: () => ({ name: 'Key', answer: strayPasskey() }),
      passkey_wrong: async () => {
        const { options } = await s.root.account.passkey_begin({})
        return { name: 'Key', answer: strayPasskeyFor(options as never) }
      },
    }),
    ...refusalsOf(calls.oidc_link, s.root, { oidc_expired: () => ({ link_token: 'spent' }) }),
    [`${calls.oidc_link.path} oidc_linked`]: () => linkedElsewhere(s),
    ...refusalsOf(calls.update_info, s.root, {
      duplicate_email: async () => ({ name: 'Second', ...(await userWith({ email: s.email() })) }),
      duplicate_phone: async () => ({ name: 'Second', ...(await userWith({ phone: s.phone() })) }),
    }),
    ...refusalsOf(calls.change_password, s.root, {
      password_wrong: async () => by((await homeUser(s)).call, { ...changed, old_password: wrongPassword }),
      login_locked: async () => {
        const { username, call } = await homeUser(s)
        await lock(s, username)
        return by(call, changed)
      },
    }),
    ...refusalsOf(calls.totp_begin, s.root, {
      conflict: async () => {
        const { kid, call } = await beginner()
        const totp_enabled_at = s.deps.clock.now()
        await s.deps.db.updateTable('user_account').set({ totp_enabled_at }).where('kid', '=', kid).execute()
        return by(call, {})
      },
    }),
    ...refusalsOf(calls.totp_enable, s.root, {
      totp_wrong: async () => by((await beginner()).call, { totp_code: wrongCode }),
      conflict: async () => by((await homeUser(s)).call, { totp_code: '123456' }),
      login_locked: async () => {
        const { username, call } = await beginner()
        await lock(s, username)
        return by(call, { totp_code: '123456' })
      },
    }),
  }
}

/** The identity that is to be linked is another user's already; the cookie says who began. */
async function linkedElsewhere(s: Stage): Promise<Reply<Call>> {
  const { deps, w } = s
  const { kid: user_kid, call } = await homeUser(s)
  const [cookie, at] = [newSecret(), deps.clock.now()]
  const identity = { issuer: 'https://sso.example', subject: user_kid }
  const dates = { created_at: at, last_use_at: at }
  await deps.db
    .insertInto('user_identity')
    .values({ ...identity, user_kid, ...dates })
    .execute()
  const detail = { binding: digest(cookie).toString('hex'), ...identity }
  const { token: link_token } = await createStep(deps.db, deps, { kind: 'oidc_link', detail, lives_ms: minute })
  const response = await fetch(`${w.url}/api/${calls.oidc_link.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${call.identity.token}`,
      'content-type': 'application/json',
      cookie: `${oidcCookie}=${cookie}`,
    },
    body: JSON.stringify({ link_token }),
  })
  return { status: response.status, ...((await response.json()) as Envelope) } as Reply<Call>
}
