import { errorMessage } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import type { Reason } from '../refusal.ts'

type Event = { detail: Record<string, unknown> }

/**
 * An event in the reader's language. The reason why the server made no push for a fence is kept as a refusal, and shown as a
 * failure that a device reported: the name as `reason`, the sentence as `message`.
 */
export function inWords<E extends Event>(event: E, language: Language): E {
  const reason = event.detail['reason']
  // What devices say has no parts.
  if (typeof reason !== 'object' || reason === null) return event
  const { name, details } = reason as Reason
  return { ...event, detail: { ...event.detail, reason: name, message: errorMessage(name, language, details) } }
}
