import { api } from '../../api.ts'
import { opsWebhookList, webhookList } from './screens.ts'

/** Of one account, or of the provider, who hears of every account. */
export const webhookSides = {
  account: { calls: api.webhook, id: 'webhook-list', screen: webhookList.title, edit: 'webhookList:edit' },
  ops: { calls: api.opsWebhook, id: 'ops-webhook-list', screen: opsWebhookList.title, edit: 'opsWebhookList:edit' },
} as const
export type WebhookSide = keyof typeof webhookSides
