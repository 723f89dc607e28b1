import { pages } from '@mdm/contract'
import { api } from '../../core/api.ts'

/** Of one account, or of the provider, who hears of every account. */
export const webhookSides = {
  account: { calls: api.webhook, id: 'webhook-list', page: pages.webhookList, edit: 'webhookList:edit' },
  ops: {
    calls: api.opsWebhook,
    id: 'ops-webhook-list',
    page: pages.opsWebhookList,
    edit: 'opsWebhookList:edit',
  },
} as const
export type WebhookSide = keyof typeof webhookSides
