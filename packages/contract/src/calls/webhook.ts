import * as z from 'zod'
import { group, ofProvider, ofWhole, read, write } from '../kit.ts'
import { constants } from '../constants.ts'
import type { Permission } from '../permissions.ts'
import { webhookEvents } from '../webhook-events.ts'
import { ByKid, Count, Done, edited, Instant, Kid, Line, Nothing, paged, paging, text } from '../wire.ts'

/** queued: waits for its time; delivered: answered with 2xx; failed: given up. */
export const deliveryStates = ['queued', 'delivered', 'failed'] as const

const Draft = z.object({
  name: Line(64, 1),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  events: z.array(z.enum(webhookEvents)).min(1),
  is_enabled: z.boolean().default(true),
  offline_minutes: z
    .number()
    .int()
    .min(5)
    .max(43_200)
    .default(60)
    .describe('for how long a device is silent before `device.offline` is told of it'),
})
export const Webhook = Draft.extend({
  kid: Kid,
  events: z.array(z.enum(webhookEvents)),
  created_at: Instant,
  updated_at: Instant,
  last_delivery_at: Instant.nullable(),
  last_state: z.enum(deliveryStates).nullable(),
  failing_since: Instant.nullable().describe('first of the failures in a row'),
  left_out: Count.describe(
    `messages not sent since it was last saved, as ${constants.webhook_waiting_max} were waiting for it, or ${constants.webhook_waiting_of_customer} for all webhooks of the customer`,
  ),
  left_out_at: Instant.nullable().describe('when that last was'),
})
export type Webhook = z.output<typeof Webhook>
export const WebhookDelivery = z.object({
  kid: Kid,
  event: z.enum([...webhookEvents, 'ping']),
  state: z.enum(deliveryStates),
  attempts: Count,
  next_at: Instant.nullable(),
  response_status: z.number().int().nullable(),
  error: z.string().nullable(),
  duration_ms: Count.nullable(),
  payload: z.string().describe('JSON, as it was sent'),
  created_at: Instant,
  delivered_at: Instant.nullable(),
})
export type WebhookDelivery = z.output<typeof WebhookDelivery>
const addressErrors = ['duplicate_name', 'webhook_address_refused'] as const

const rows = <L extends Permission, W extends Permission>(list: L, edit: W) => ({
  list: read('GET', {
    needs: list,
    title: text('List webhooks', 'Danh sách webhook', 'Webhook 列表'),
    input: Nothing,
    output: z.array(Webhook),
  }),
  insert: write('POST', {
    needs: edit,
    title: text('Create a webhook', 'Tạo webhook', '新建 Webhook'),
    input: Draft,
    output: z.object({ kid: Kid, secret: z.string().describe('signs what is sent; shown this once') }),
    errors: [...addressErrors, 'webhook_limit'],
  }),
  update: write('POST', {
    needs: edit,
    title: text('Edit a webhook', 'Sửa webhook', '编辑 Webhook'),
    input: edited(Draft).extend({ kid: Kid }),
    output: Done,
    errors: [...addressErrors],
  }),
  renew_secret: write('POST', {
    needs: edit,
    title: text('Renew the secret of a webhook', 'Đổi khóa của webhook', '更新 Webhook 密钥'),
    input: ByKid,
    output: z.object({ secret: z.string() }),
  }),
  delete: write('POST', {
    needs: edit,
    title: text('Delete a webhook', 'Xóa webhook', '删除 Webhook'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
  ping: write('POST', {
    needs: edit,
    title: text('Send a test to a webhook', 'Gửi thử webhook', '测试 Webhook'),
    input: ByKid,
    output: z.object({ delivery_kid: Kid }),
    errors: ['webhook_full'],
  }),
  paging_delivery: read('POST', {
    needs: list,
    title: text('List deliveries', 'Danh sách lượt gửi', '投递列表'),
    input: paging(['created_at']).extend({ webhook_kid: Kid, state: z.enum(deliveryStates).optional() }),
    output: paged(WebhookDelivery),
  }),
  redeliver: write('POST', {
    needs: edit,
    title: text('Send a delivery again', 'Gửi lại', '重新投递'),
    input: ByKid,
    output: z.object({ delivery_kid: Kid }),
    errors: ['webhook_full'],
  }),
})
/** Of the account acted for. */
export const webhook = group(
  ofWhole('webhook'),
  text('Webhooks', 'Webhook', 'Webhook'),
  rows('webhookList', 'webhookList:edit'),
)
/** Of the provider: what happens anywhere. */
export const opsWebhook = group(
  ofProvider('ops/webhook'),
  text('Webhooks (all accounts)', 'Webhook (mọi tài khoản)', 'Webhook（所有账号）'),
  rows('opsWebhookList', 'opsWebhookList:edit'),
)
