import { holds } from '@mdm/contract'
import type { Session } from '@mdm/contract'
import type { AnyScreen } from './screen/screen.ts'

type Who = Pick<Session, 'account_type' | 'enter_kid' | 'permissions'>
type What = Pick<AnyScreen, 'path' | 'needs' | 'end_type'>

/** Section 2: what an operator outside every customer may open although it belongs to the customer's side. */
const allowed_outside = ['/operation-log-list']

/**
 * Whether a signed-in person may open a screen: undefined when so, else the path to go to instead. It decides what
 * is shown; the server decides what is done.
 */
export function detour(who: Who, screen: What): string | undefined {
  const is_outside = who.account_type === 101 && !who.enter_kid
  if (is_outside && screen.path === '/home/index') {
    return holds(who.permissions, 'externalUserManageList') ? '/external-user-manage-list' : '/404'
  }
  if (is_outside && screen.end_type === 1 && !allowed_outside.includes(screen.path)) return '/404'
  const is_open = screen.needs === 'signed_in' || screen.needs === 'public'
  // Everyone who is signed in has a home; its tiles follow the permissions.
  if (is_open || screen.path === '/home/index' || holds(who.permissions, screen.needs)) return undefined
  return '/404'
}
