import type { Call, WebhookEvent } from '@mdm/contract'
import type { Deps } from '../../../deps.ts'
import type { Track } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'

/** What is sent, whole: `payload` is the body, and its `id` stays the same however often it is sent. */
export type Message = { event: WebhookEvent | 'ping'; payload: string }
type Payload = {
  type: Message['event']
  created_at: Date
  account: { kid: string; name: string } | null
  operator?: { kid: string | null; name: string; username: string }
  module?: string
  action?: string
  result?: number
  message?: string
  tracks?: readonly Pick<Track, 'table' | 'kid' | 'name' | 'change'>[]
  detail: Record<string, unknown>
}
export type RecordedOperation = {
  kid: string
  call: Call
  input: unknown
  result: number
  message: string
  tracks: readonly Track[]
  address: string
  created_at: Date
  account_kid: string | null
  account_name: string | null
  operator_kid: string | null
  operator_name: string
  operator_username: string
}

/** Of what no call has said. */
export type TimelyMessage = Message & { event: WebhookEvent }
export type Told = { event: TimelyEvent; detail: Record<string, unknown> }
type TimelyEvent = Extract<
  WebhookEvent,
  `account.exp${string}` | `alert.${string}` | `device.${string}` | `push.${string}`
>

const messageOf = ({ type, operator, ...rest }: Payload): Message => ({
  event: type,
  payload: JSON.stringify({
    id: newKid(),
    type,
    module: null,
    action: null,
    result: 1,
    message: '',
    tracks: [],
    ...rest,
    operator: operator ?? null,
  }),
})

/** One message of an operation for one event. What was sent and answered stays here: it may hold secrets. */
export const operationMessage = (operation: RecordedOperation, event: WebhookEvent): Message =>
  messageOf({
    type: event,
    created_at: operation.created_at,
    account: operation.account_kid === null ? null : { kid: operation.account_kid, name: operation.account_name ?? '' },
    operator: {
      kid: operation.operator_kid,
      name: operation.operator_name,
      username: operation.operator_username,
    },
    module: operation.call.group,
    action: operation.call.key,
    result: operation.result,
    message: operation.message,
    tracks: operation.tracks.map(({ table, kid, name, change }) => ({ table, kid, name, change })),
    detail: { operation_kid: operation.kid, address: operation.address },
  })

/** Of what nobody did: a date came, or somebody tries a webhook. None when there is no such account. */
export async function accountMessages<E extends Message['event']>(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  account_kid: string,
  told: readonly { event: E; detail: Record<string, unknown> }[],
): Promise<(Message & { event: E })[]> {
  const account = await db
    .selectFrom('account')
    .select(['kid', 'name'])
    .where('kid', '=', account_kid)
    .executeTakeFirst()
  if (!account) return []
  const created_at = clock.now()
  return told.map(({ event, detail }) => ({ ...messageOf({ type: event, created_at, account, detail }), event }))
}
