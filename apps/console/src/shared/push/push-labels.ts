import { isFinal, pushKinds } from '@mdm/contract'
import type { PushTaskResult, PushTaskState, PushTaskTerminal, PushTaskType } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { texts as english } from './texts/en.ts'

export const stateTone = (state: PushTaskState): Tone => {
  if (state === 'completed') return 'good'
  if (state === 'failed') return 'bad'
  if (state === 'canceled') return 'quiet'
  // Nothing turns while the device has not taken it: it may be away for days.
  return state === 'wait_receipt' ? 'warn' : 'moving'
}
/** `null` is a task of which a device still moves. */
export const resultTone = (result: PushTaskResult | null): Tone =>
  result === null ? 'moving' : ({ all_succeeded: 'good', partly_succeeded: 'warn', all_failed: 'bad' } as const)[result]

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
  /** Why it failed: the known code's sentence, then the device's own words. */
  const reason = ({ code, message }: Failing): string | undefined => {
    const known = code && (isKnown(code) ? t(`code.${code}`) : isState(code) ? t(`state.${code}`) : undefined)
    return [known || code, message].filter(Boolean).join(' ') || undefined
  }
  /** Why it cannot be cancelled or retried now; undefined means it can. */
  const because = {
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
  return { t, reason, because }
}
