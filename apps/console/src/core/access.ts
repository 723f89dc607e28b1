import { accountTypes, holds, pages } from '@mdm/contract'
import type { Page, Session } from '@mdm/contract'

type AccessSession = Pick<Session, 'account_type' | 'enter_kid' | 'permissions'>
type AccessPage = Pick<Page, 'path' | 'needs' | 'end_type' | 'is_open_outside'>

/** An operator who has not entered a customer has no account to act for. */
export const isOutside = (session: Pick<AccessSession, 'account_type' | 'enter_kid'>): boolean =>
  session.account_type === accountTypes.ops_account && !session.enter_kid

/** Where `/` and `/home` lead (section 2). The overview of an operator is an entry of the menu, not the home. */
export function homeOf(session: AccessSession): string {
  return isOutside(session) ? homeOutside(session) : pages.homeIndex.path
}
/** Where an operator begins who has left a customer. */
export const homeOutside = ({ permissions }: Pick<AccessSession, 'permissions'>): string =>
  holds(permissions, 'externalUserManageList') ? pages.externalUserManageList.path : pages.notFound.path

/**
 * Whether a signed-in person may open a screen: undefined when so, else the path to go to instead. It decides what
 * is shown; the server decides what is done.
 */
export function redirectFor(session: AccessSession, screen: AccessPage): string | undefined {
  const is_outside = isOutside(session)
  if (is_outside && screen.end_type === 1 && !screen.is_open_outside) return pages.notFound.path
  if (screen.needs === 'signed_in' || screen.needs === 'public') return undefined
  // A customer's administrator holds `*`: the names of the provider's screens are in it, what they show is not theirs.
  if (screen.end_type === 2 && session.account_type !== accountTypes.ops_account) return pages.notFound.path
  if (holds(session.permissions, screen.needs)) return undefined
  if (screen.path !== pages.homeIndex.path) return pages.notFound.path
  // Everyone who acts for an account has a home; its tiles follow the permissions.
  return is_outside ? homeOf(session) : undefined
}
