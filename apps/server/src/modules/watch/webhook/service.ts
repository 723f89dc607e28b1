import type { Deps } from '../../../deps.ts'
import { accountMessages } from './messages.ts'
import type { Told } from './messages.ts'
import { queueMessages } from './queue.ts'

/** Tells the webhooks of an account, and of the provider, what no call has said: what time did to the account, an alert, a push. */
export const notifyAccount = (
  deps: Deps,
  account_kid: string,
  event: Told['event'],
  detail: Told['detail'],
): Promise<number> => notifyAccountOfAll(deps, account_kid, [{ event, detail }])

/** The same of many matters in one statement: a message each. */
export async function notifyAccountOfAll(deps: Deps, account_kid: string, told: readonly Told[]): Promise<number> {
  return queueMessages(deps, account_kid, await accountMessages(deps, account_kid, told))
}
