import { pushTargetText } from '@mdm/contract'
import type { PushTarget } from '@mdm/contract'
import { useSessionStore } from '../../../core/session-store.ts'

/** Whom a push is for, in words; undefined where nobody said it. */
export function useTargetText(): (target: PushTarget | null) => string | undefined {
  const language = useSessionStore((s) => s.language)
  return (target) => {
    const text = pushTargetText(target, language)
    // Names of devices stay as they are.
    return text && target?.kind !== 'named' ? text[0]!.toUpperCase() + text.slice(1) : text
  }
}
