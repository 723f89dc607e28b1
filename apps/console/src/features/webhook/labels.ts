import { webhookEvents } from '@mdm/contract'
import type { Webhook, WebhookDelivery, WebhookEvent } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import type { Tone } from '../../ui/value/StateBadge.tsx'

const kinds = ['device', 'push', 'alert', 'account', 'user', 'role'] as const
/** What can be heard, by what it is about; every write at all comes first and alone. */
export const eventKinds = kinds.map((kind) => ({
  kind,
  events: webhookEvents.filter((event) => event.startsWith(`${kind}.`)),
}))
export const everything: WebhookEvent = 'operation_log'

/** The catalogue has them in folders, the wire with dots: `account.created`. */
export const eventLabels = (texts: Record<string, string | Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([kind, word]) =>
      typeof word === 'string'
        ? [[kind, word]]
        : Object.entries(word).map(([name, text]): [string, string] => [`${kind}.${name}`, text]),
    ),
  )

type Tried = Pick<WebhookDelivery, 'state' | 'attempts'>
/** One that waits for another try has failed so far, and one that was never tried is on its way. */
export const deliveryLabelOf = ({ state, attempts }: Tried): 'queued' | 'retrying' | 'delivered' | 'failed' =>
  state === 'queued' && attempts > 0 ? 'retrying' : state
export const tones: Record<ReturnType<typeof deliveryLabelOf>, Tone> = {
  queued: 'waiting',
  retrying: 'warn',
  delivered: 'good',
  failed: 'bad',
}

type Health = 'disabled' | 'failing' | 'working' | 'unused'
export function healthOf({ is_enabled, failing_since, last_state }: Webhook): Health {
  if (!is_enabled) return 'disabled'
  if (failing_since) return 'failing'
  return last_state === null ? 'unused' : 'working'
}
export const healthTones: Record<Health, Tone> = { disabled: 'quiet', failing: 'bad', working: 'good', unused: 'quiet' }

const known = {
  'no answer in time': 'timeout',
  'the webhook is disabled': 'disabled',
  'its host was not found': 'unresolved',
  ENOTFOUND: 'unresolved',
  'its host is not on the public internet': 'not_public',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
} as const

/** Why a try failed, in the person's language; what is not known is shown as the server noted it. */
export function useDeliveryError(): (delivery: Pick<WebhookDelivery, 'error' | 'response_status'>) => string | null {
  const { t } = useTranslation('webhook')
  return ({ error, response_status }) => {
    if (!error) return null
    if (response_status !== null) return t('error.answered', { status: response_status })
    return Object.hasOwn(known, error) ? t(`error.${known[error as keyof typeof known]}`) : error
  }
}
