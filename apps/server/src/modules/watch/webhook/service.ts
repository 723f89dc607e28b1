import type { WebhookEvent } from '@mdm/contract'
import type { Deps } from '../../../deps.ts'
import { accountMessage } from './messages.ts'
import { queueMessage } from './queue.ts'

type TimelyEvent = Extract<WebhookEvent, `account.exp${string}` | `alert.${string}` | `push.${string}`>
/** Tells the webhooks of an account, and of the provider, what no call has said: what time did to the account, an alert, a push. */
export async function notifyAccount(
  deps: Deps,
  account_kid: string,
  event: TimelyEvent,
  detail: Record<string, unknown>,
): Promise<number> {
  const message = await accountMessage(deps, account_kid, event, detail)
  return message ? queueMessage(deps, account_kid, event, message) : 0
}
