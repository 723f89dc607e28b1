import { accountTypes, holds, knownZone, pages } from '@mdm/contract'
import type { Language, Permission, Sent, Session, TotpAsked } from '@mdm/contract'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { homeOutside } from './access.ts'
import { api, send, sendAs } from './api.ts'
import { navigateTo, here, loginPath } from './navigation.ts'
import { notify } from './notices.ts'
import { answerWithPasskey } from './passkey.ts'
import { queryClient } from './queries.ts'
import { forgetSession, putLanguage, putSession, putToken, sessionState, useSessionStore } from './session-store.ts'
import { kept } from '../lib/kept.ts'
import { readStored } from '../lib/stored.ts'
import { sha1 } from '../lib/sha1.ts'

/** The session of a signed-in person. Only for what is rendered inside the shell. */
export function useSession(): Session {
  const session = useSessionStore((s) => s.session)
  if (!session) throw new Error('useSession outside a session')
  return session
}

/** Whether a zone is known takes long to find out, and every time on a page asks for it. */
const nameOf = kept(knownZone)
/** IANA zone in which times are shown: the account's, else the browser's. Neither is believed unread. */
export const zoneOf = (session: Pick<Session, 'zone_id'> | null): string =>
  nameOf(session?.zone_id) ?? browserZone() ?? 'UTC'
export function useZone(): string {
  const zone_id = useSessionStore((s) => s.session?.zone_id ?? null)
  return useMemo(() => zoneOf({ zone_id }), [zone_id])
}
/** Undefined where the browser does not know its zone. */
export const browserZone = (): string | undefined => nameOf(Intl.DateTimeFormat().resolvedOptions().timeZone)

export const isOps = (session: Session): boolean => session.account_type === accountTypes.ops_account
export { isOutside } from './access.ts'

/** Whether the person holds a permission. Inside components use `useMay`. */
export const may = (needs: Permission): boolean => holds(sessionState().session?.permissions ?? [], needs)
export const useMay = (needs: Permission): boolean => useSessionStore((s) => holds(s.session?.permissions ?? [], needs))

/** What the person may not do is absent, not dimmed. */
export function May({ needs, children }: { needs: Permission | readonly Permission[]; children: ReactNode }) {
  const held = useSessionStore((s) => s.session?.permissions ?? none)
  return [needs].flat().every((each) => holds(held, each)) ? children : null
}
const none: readonly string[] = []

type Credentials = { username: string; password: string; puzzle_token: string }

/**
 * Answers with the second step that the server asks for, if it does: then nobody is signed in yet.
 * @throws CallFailed with the server's message; nothing is kept then
 */
export async function signIn(input: Credentials): Promise<TotpAsked | undefined> {
  const reply = await send(api.login.login, { ...input, password: sha1(input.password) })
  if ('totp_token' in reply) return reply
  begin(reply)
}

/** The second step. @throws CallFailed */
export const signInWithCode = async (input: Sent<typeof api.login.totp>): Promise<void> =>
  begin(await send(api.login.totp, input))

/** The own password by a link; answers with the second step that is asked for, if it is. @throws CallFailed */
export async function signInWithLink(input: { link_token: string; password: string }): Promise<TotpAsked | undefined> {
  const reply = await send(api.login.set_password, { ...input, password: sha1(input.password) })
  if ('totp_token' in reply) return reply
  begin(reply)
}

/** Without a name: the passkey says who it is. @throws CallFailed */
export async function signInWithPasskey(): Promise<void> {
  const { options } = await send(api.login.passkey_begin, {})
  begin(await send(api.login.passkey, { answer: await answerWithPasskey(options) }))
}

/** On the way back from the OpenID Connect provider. @throws CallFailed */
export const signInWithExchange = async (exchange_token: string): Promise<void> =>
  begin(await send(api.login.exchange, { exchange_token }))

function begin({ token, ...session }: Session): void {
  if (!token) throw new Error('the server answered without a token')
  queryClient.clear()
  putToken(token)
  adopt(session)
}

/** The account's language counts where this browser has made no choice of its own. */
export function adopt(session: Session): void {
  if (session.language && !readStored('local', 'language')) putLanguage(session.language)
  putSession(session)
}

/** For this browser at once, and for the account, so that another browser finds it. */
export async function chooseLanguage(language: Language): Promise<void> {
  putLanguage(language)
  try {
    await send(api.account.save_preferences, { language })
    const { session } = sessionState()
    if (session) putSession({ ...session, language })
    await queryClient.invalidateQueries({ queryKey: ['account', 'info'] })
  } catch (error) {
    notify.fail(error)
  }
}

/** Specification, section 2: back to /login with the previous full path as `redirect`. */
export async function signOut(): Promise<void> {
  const from = here()
  const told = endSession()
  void navigateTo(loginPath(from))
  await told
}

/**
 * First this browser, then the server: what is under way with the token is cut off and nothing begins, so that the end of
 * the session is the last that the server is asked in its name. It is over here whether or not the server hears of it.
 */
export async function endSession(): Promise<void> {
  const { token, account_kid } = sessionState()
  forgetSession()
  queryClient.clear()
  await sendAs({ token, account_kid }, api.login.logout, {}).catch(() => undefined)
}

/** @throws CallFailed, for the dialog that asked */
export async function enterCustomer(kid: string, to = pages.homeIndex.path): Promise<void> {
  await send(api.opsAccount.enter, { kid })
  await switchTo(kid)
  void navigateTo(to)
}

/** @throws CallFailed, for the dialog that asked */
export async function leaveCustomer(): Promise<void> {
  const own = sessionState().session?.own_account_kid ?? null
  // First this tab, then the server: nothing that the tab asks meanwhile is about an account that it has left. And first the
  // page, then the account: a page of the customer would ask as the provider.
  await switchTo(own, (session) => (isOps(session) ? homeOutside(session) : pages.homeIndex.path))
  await send(api.opsAccount.leave, {})
}

async function switchTo(account_kid: string | null, first?: (session: Session) => string): Promise<Session> {
  // What is on its way is about the account before.
  await queryClient.cancelQueries()
  const session = await sendAs({ token: sessionState().token, account_kid }, api.login.session, {})
  // At once, and not when React finds the time: the old page must be gone before the account is another one.
  if (first) await navigateTo(first(session), { flushSync: true })
  // Not one row of the account before may be seen in the next.
  queryClient.clear()
  putSession(session)
  return session
}

/** Reads the session again, for example after preferences were saved. */
export async function refreshSession(): Promise<void> {
  await send(api.login.session, {}).then(putSession, notify.fail)
}
