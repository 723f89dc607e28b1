import { screen } from '../../screen/screen.ts'

export const webhookList = screen('/webhook-list', {
  group: 'base-setting',
  title: 'webhookList',
  needs: 'webhookList',
  texts: ['webhook'],
  page: () => import('./WebhooksPage.tsx'),
})
export const opsWebhookList = screen('/ops-webhook-list', {
  group: 'mdm-manage',
  title: 'opsWebhookList',
  needs: 'opsWebhookList',
  end_type: 2,
  texts: ['webhook'],
  page: () => import('./OpsWebhooksPage.tsx'),
})
export const webhookScreens = [webhookList, opsWebhookList]
