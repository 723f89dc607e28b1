/** What can be heard. `operation_log` is every write of the account; the others are single matters. */
export const webhookEvents = [
  'operation_log',
  'account.created',
  'account.updated',
  'account.disabled',
  'account.enabled',
  'account.renewed',
  'account.expiring',
  'account.expired',
  'user.created',
  'user.updated',
  'user.disabled',
  'user.deleted',
  'user.signed_in',
  'user.sign_in_failed',
  'role.changed',
  'alert.opened',
  'alert.resolved',
  'push.waiting',
  'push.ended',
  'push.failed',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]
