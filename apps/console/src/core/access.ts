import { accountTypes, holds } from '@mdm/contract'
import type { Page, Session } from '@mdm/contract'

type Who = Pick<Session, 'account_type' | 'enter_kid' | 'permissions'>
type What = Pick<Page, 'path' | 'needs' | 'end_type'>

/** Section 2: what an operator outside every customer may open although it belongs to the customer's side. */
const allowed_outside = ['/operation-log-list', '/home/index']

/** An operator who has not entered a customer has no account to act for. */
export const isOutside = (who: Pick<Who, 'account_type' | 'enter_kid'>): boolean =>
  who.account_type === accountTypes.ops_account && !who.enter_kid

/** Where `/` and `/home` lead (section 2). The overview of an operator is an entry of the menu, not the home. */
export function homeOf(who: Who): string {
  if (!isOutside(who)) return '/home/index'
  return holds(who.permissions, 'externalUserManageList') ? '/external-user-manage-list' : '/404'
}

/**
 * Whether a signed-in person may open a screen: undefined when so, else the path to go to instead. It decides what
 * is shown; the server decides what is done.
 */
export function detour(who: Who, screen: What): string | undefined {
  const is_outside = isOutside(who)
  if (is_outside && screen.end_type === 1 && !allowed_outside.includes(screen.path)) return '/404'
  if (screen.needs === 'signed_in' || screen.needs === 'public') return undefined
  // A customer's administrator holds `*`: the names of the provider's screens are in it, what they show is not theirs.
  if (screen.end_type === 2 && who.account_type !== accountTypes.ops_account) return '/404'
  if (holds(who.permissions, screen.needs)) return undefined
  if (screen.path !== '/home/index') return '/404'
  // Everyone who acts for an account has a home; its tiles follow the permissions.
  return is_outside ? homeOf(who) : undefined
}
