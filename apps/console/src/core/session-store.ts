import type { Language, Session } from '@mdm/contract'
import { create } from 'zustand'
import { writeStored, readStored } from '../lib/stored.ts'
import { startLanguage } from '../i18n/language.ts'

export type Theme = 'light' | 'dark' | 'system'
export type Density = 'comfortable' | 'compact'

type State = {
  /** The token outlives the tab, so that a link opened in a new tab is signed in too. */
  token: string | null
  /** Known after `login/session` answered; null while signed out or still starting. */
  session: Session | null
  /** The account this tab acts for. It is the tab's own: two tabs may look at two customers. */
  account_kid: string | null
  language: Language
  theme: Theme
  density: Density
}

export const useSessionStore = create<State>(() => ({
  token: readStored('local', 'token'),
  session: null,
  account_kid: readStored('session', 'account_kid'),
  language: startLanguage(),
  theme: (readStored('local', 'theme') as Theme | null) ?? 'system',
  density: (readStored('local', 'density') as Density | null) ?? 'compact',
}))

export const sessionState = (): State => useSessionStore.getState()

export function putToken(token: string | null): void {
  writeStored('local', 'token', token)
  useSessionStore.setState({ token })
}

export function putSession(session: Session | null): void {
  writeStored('session', 'account_kid', session?.account_kid ?? null)
  useSessionStore.setState({ session, account_kid: session?.account_kid ?? null })
}

export function putTheme(theme: Theme): void {
  writeStored('local', 'theme', theme)
  useSessionStore.setState({ theme })
}

export function putDensity(density: Density): void {
  writeStored('local', 'density', density)
  useSessionStore.setState({ density })
}

export function putLanguage(language: Language): void {
  writeStored('local', 'language', language)
  useSessionStore.setState({ language })
}

/** Back to the own account, whose session is read again before the next screen. */
export function forgetAccount(): void {
  writeStored('session', 'account_kid', null)
  useSessionStore.setState({ session: null, account_kid: null })
}

/** Signed out: token, account and everything the tab knew of them, at once, so that nobody sees half of it. */
export function forgetSession(): void {
  writeStored('local', 'token', null)
  writeStored('session', 'account_kid', null)
  useSessionStore.setState({ token: null, session: null, account_kid: null })
}
