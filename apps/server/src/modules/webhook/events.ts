import type { Call, WebhookEvent } from '@mdm/contract'

/** A recorded write: its call, what it was asked, and 1 or the code of the refusal. */
type Recorded = { call: Pick<Call, 'path'>; input: unknown; result: number }
type Rule = WebhookEvent | ((input: Record<string, unknown>) => WebhookEvent)

const byStatus =
  (disabled: WebhookEvent, otherwise: WebhookEvent): Rule =>
  ({ status }) =>
    status === 'invalid' ? disabled : otherwise

/** What a successful write is beside an entry of the operation log. A path that is not here is nothing else. */
const rules: Record<string, Rule> = {
  'ops/account/insert': 'account.created',
  'ops/account/update': 'account.updated',
  'ops/account/set_status': byStatus('account.disabled', 'account.enabled'),
  'ops/account/renew': 'account.renewed',
  'ops/account/reset_totp': 'user.updated',
  'sub_account/insert': 'account.created',
  'sub_account/update': 'account.updated',
  'sub_account/set_status': byStatus('account.disabled', 'account.enabled'),
  'user_account/insert': 'user.created',
  'user_account/update': 'user.updated',
  'user_account/set_status': byStatus('user.disabled', 'user.updated'),
  'user_account/reset_totp': 'user.updated',
  'user_account/delete': 'user.deleted',
  'ops/inside_user/insert': 'user.created',
  'ops/inside_user/update': 'user.updated',
  'ops/inside_user/set_status': byStatus('user.disabled', 'user.updated'),
  'ops/inside_user/reset_totp': 'user.updated',
  'ops/inside_user/delete': 'user.deleted',
  'role/insert': 'role.changed',
  'role/update': 'role.changed',
  'role/save_permissions': 'role.changed',
  'role/delete': 'role.changed',
  'ops/role/insert': 'role.changed',
  'ops/role/update': 'role.changed',
  'ops/role/save_permissions': 'role.changed',
  'ops/role/delete': 'role.changed',
}
const signIns = new Set(['login/login', 'login/totp', 'login/exchange'])

/** What webhooks hear of a recorded write, the entry of the log first. */
export function eventsOf({ call, input, result }: Recorded): WebhookEvent[] {
  if (signIns.has(call.path)) return ['operation_log', result === 1 ? 'user.signed_in' : 'user.sign_in_failed']
  const rule = result === 1 ? rules[call.path] : undefined
  if (rule === undefined) return ['operation_log']
  return ['operation_log', typeof rule === 'string' ? rule : rule((input ?? {}) as Record<string, unknown>)]
}

/** Paths that the table names, so that a test can hold it against the contract. */
export const heardPaths: readonly string[] = [...Object.keys(rules), ...signIns]
