import { isFinal, pushKinds, pushTaskStates } from '@mdm/contract'
import type { ProcessEvent, PushTaskState, PushTaskTerminal, PushTaskType } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import { sentences } from '../../i18n/list-text.ts'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { texts as english } from './texts/en.ts'

export const stateTone = (state: PushTaskState): Tone => {
  if (state === 'completed') return 'good'
  if (state === 'failed') return 'bad'
  if (state === 'canceled') return 'quiet'
  // Nothing turns while the device has not taken it: it may be away for days.
  return state === 'wait_receipt' ? 'warn' : 'moving'
}

/** A retry does to the device what the push did. */
export const retryNeeds = (type: PushTaskType) => ['deviceDetailTask:retry', pushKinds[type].needs] as const

type Code = keyof (typeof english)['code']
const isState = (code: string): code is PushTaskState => Object.hasOwn(english.state, code)
const isKnown = (code: string): code is Code => Object.hasOwn(english.code, code)

type Failing = Pick<PushTaskTerminal, 'code' | 'message'>
type Row = Pick<PushTaskTerminal, 'state' | 'can' | 'cancel_asked'>

/** Sentences about a device's part of a push task, in the person's language. */
export function usePushLabels() {
  const { t } = useTranslation(['push', 'common'])
  /** A message is done when its user has read it. */
  const stateWord = (type: PushTaskType | undefined, state: PushTaskState): string =>
    type === 'message' && (state === 'executing' || state === 'completed')
      ? t(`message_state.${state}`)
      : t(`state.${state}`)
  /** The same, as a list's export takes them. */
  const stateLabels = (type?: PushTaskType) =>
    Object.fromEntries(pushTaskStates.map((state) => [state, stateWord(type, state)]))
  const eventWord = (type: PushTaskType, event: ProcessEvent): string =>
    type === 'message' && (event === 'execute_start' || event === 'finished')
      ? t(`message_event.${event}`)
      : t(`event.${event}`)
  const known = (code: string): string | undefined =>
    isKnown(code) ? t(`code.${code}`) : isState(code) ? t(`state.${code}`) : undefined
  /** Why it failed: the known code's sentence, then what the device says itself, in its own words. */
  const reason = ({ code, message }: Failing): string | undefined => {
    const said = message && (known(message) ?? t('device_says', { message }))
    return sentences(code && (known(code) ?? code), said) || undefined
  }
  /** Why devices failed, of a code alone. */
  const failure = (code: string): string => known(code) ?? (code === 'unknown' ? t('no_reason') : code)
  /** Why it cannot be cancelled or retried now; undefined means it can. */
  const disabled_reason = {
    cancel: (row: Row): string | undefined => {
      if (row.can.includes('cancel')) return undefined
      return row.cancel_asked && !isFinal(row.state) ? t('cancel_is_asked') : t('not_cancelable')
    },
    retry: (row: Row): string | undefined => {
      if (row.can.includes('retry')) return undefined
      if (!isFinal(row.state)) return t('not_retryable.running')
      return row.state === 'completed' ? t('not_retryable.completed') : t('not_retryable.other')
    },
  }
  return { t, stateWord, stateLabels, eventWord, reason, failure, disabled_reason }
}
