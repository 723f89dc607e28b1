import type { Deps } from '../../../deps.ts'
import { accountMessage } from './messages.ts'
import { queueMessage } from './queue.ts'

/** Tells the webhooks of an account, and of the provider, what time did to the account. */
export async function notifyAccount(
  deps: Deps,
  account_kid: string,
  event: 'account.expiring' | 'account.expired' | 'alert.opened' | 'alert.resolved',
  detail: Record<string, unknown>,
): Promise<void> {
  const message = await accountMessage(deps, account_kid, event, detail)
  if (message) await queueMessage(deps, account_kid, event, message)
}
