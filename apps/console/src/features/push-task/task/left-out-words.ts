import { useTranslation } from 'react-i18next'
import { inabilities, isInability } from '@mdm/contract'
import type { LeftOutReason } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'

/** Why a device was left out, and what that means where the words alone do not say it. */
export function useLeftOutWords() {
  const { t } = useTranslation('push-task/task')
  const textOf = useTextOf()
  return (reason: LeftOutReason): { words: string; hint?: string } =>
    isInability(reason)
      ? { words: textOf(inabilities[reason]) }
      : { words: t(`left_out.${reason}`), hint: t(`left_out_hint.${reason}`) }
}
