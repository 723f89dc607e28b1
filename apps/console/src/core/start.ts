import type { MenuNode, Session } from '@mdm/contract'
import { create } from 'zustand'
import { loadAccountDefaults } from './account-defaults.ts'
import { api, send } from './api.ts'
import { CallFailed } from './call-failed.ts'
import { translate } from '../i18n/translate.ts'
import { loadTexts } from '../i18n/i18n.ts'
import { notify } from './notices.ts'
import { loadPreferences } from './preferences.ts'
import { forgetSession, sessionState } from './session-store.ts'
import { adopt, endSession } from './session.tsx'

/** Menu entries of the person, as the server keeps them. */
export const useMenu = create<{ nodes: readonly MenuNode[]; of: string | null }>(() => ({ nodes: [], of: null }))

let running: { key: string; promise: Promise<Session | null> } | undefined

/**
 * Session, menu and preferences, read once per token and account before the first screen. Answers null when there is no session:
 * the visitor has to sign in. When it fails the token is dropped and the reason told (section 2); only a server that
 * cannot be reached keeps the token, and is thrown for the page to offer another try.
 */
export function ensureStarted(): Promise<Session | null> {
  const { token, account_kid, session } = sessionState()
  if (!token) return Promise.resolve(null)
  const key = `${token} ${account_kid}`
  if (session && useMenu.getState().of === key) return Promise.resolve(session)
  if (running?.key === key) return running.promise
  const promise = start(session).finally(() => (running = undefined))
  running = { key, promise }
  return promise
}

async function start(known: Session | null): Promise<Session | null> {
  const { token } = sessionState()
  let { account_kid } = sessionState()
  try {
    const session = known ?? (await send(api.login.session, {}))
    if (session.roles.length === 0 || session.permissions.length === 0) {
      await loadTexts(['shell'])
      notify.fail(new Error(translate('shell:no_permission')))
      void endSession()
      return null
    }
    adopt(session)
    account_kid = session.account_kid
    const [nodes] = await Promise.all([
      send(api.menuTree.list, { p_id: 'ROOT' }),
      loadPreferences(session.user_kid),
      loadAccountDefaults(session),
    ])
    useMenu.setState({ nodes, of: `${sessionState().token} ${session.account_kid}` })
    return session
  } catch (error) {
    if (error instanceof CallFailed && error.is_offline) throw error
    // The account that was acted for is gone, which has been told, or was left meanwhile; the person is still signed in.
    const now = sessionState()
    const is_other = now.token !== token || (account_kid && now.account_kid !== account_kid)
    if (now.token && is_other) return start(now.session)
    notify.fail(error)
    forgetSession()
    return null
  }
}
